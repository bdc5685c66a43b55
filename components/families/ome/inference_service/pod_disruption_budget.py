"""The PodDisruptionBudget of a component that is a Deployment.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/pdb/pdb_reconciler.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from .. import names
from .component import Component
from .labels import Identity, metadata_of


def disruption_budget(identity: Identity, component: Component) -> Object:
    bounds: dict[str, Any] = {"maxUnavailable": 1}
    if component.spec.minAvailable is not None:
        bounds = {"minAvailable": component.spec.minAvailable}
    elif component.spec.maxUnavailable is not None:
        bounds = {"maxUnavailable": component.spec.maxUnavailable}
    metadata = metadata_of(identity, component, component.name, "budget")
    selector = {"matchLabels": {"app": names.shortened(component.name)}}
    spec = {**bounds, "selector": selector}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
