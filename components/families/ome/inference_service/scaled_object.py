"""The ScaledObject of a component that KEDA scales.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/keda/keda_reconciler.go at v0.1.5.
Decisions: M12 (docs/decisions).
"""

from typing import Any

from ....kubernetes.objects import Object
from ....ome_keys import autoscalers, names
from .labels import Identity, metadata_of
from .scaling import Scaling


def scaled_object(identity: Identity, scaling: Scaling) -> Object:
    component = scaling.component
    metadata = metadata_of(identity, component, names.scaled_object(component.name), "scaled-object")
    return autoscalers.scaled_object(metadata, scaling.target, component.low, component.high, _trigger(scaling))


def _trigger(scaling: Scaling) -> dict[str, Any]:
    metadata = {
        "serverAddress": scaling.server,
        "metricName": scaling.metric or "tps",
        "query": scaling.query,
        "threshold": scaling.threshold,
        "operator": scaling.operator,
    }
    reference = scaling.keda.authenticationRef
    if reference is None:
        return {"type": "prometheus", "metadata": metadata}
    if scaling.keda.authModes:
        metadata["authModes"] = scaling.keda.authModes
    kind = reference.kind or "TriggerAuthentication"
    return {"type": "prometheus", "metadata": metadata, "authenticationRef": {"kind": kind, "name": reference.name}}
