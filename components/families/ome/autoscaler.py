"""HorizontalPodAutoscaler and ScaledObject of a component that is a Deployment, or of any other workload."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from ...ome_keys.autoscalers import horizontal, scaled_object, utilization
from ...ome_keys.names import scaled_object as scaled_object_name
from .metadata import Identity, annotations_of, labels_of
from .scaling import Scaling


def autoscaler(identity: Identity, scaling: Scaling) -> tuple[str, Object] | None:
    """Role and object of what scales the component, or None where nothing here does."""
    component = scaling.component
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": component.name}
    if scaling.by == "keda":
        metadata = _metadata(identity, scaling, scaled_object_name(component.name), "scaled-object")
        return "scaled-object", scaled_object(metadata, target, component.low, component.high, _trigger(scaling))
    if scaling.by == "hpa" and not scaling.stays_at_zero:
        metadata = _metadata(identity, scaling, component.name, "autoscaler")
        metric = utilization(scaling.hpa_metric, scaling.utilization)
        return "autoscaler", horizontal(metadata, target, component.low, component.high, metric)
    return None


def _metadata(identity: Identity, scaling: Scaling, name: str, target: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": identity.service.namespace,
        "labels": labels_of(identity, scaling.component, target),
        "annotations": annotations_of(identity, scaling.component, target),
    }


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
