"""The PodDisruptionBudget of a component that is a Deployment."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .component import Component
from .metadata import Identity, annotations_of, labels_of


def disruption_budget(identity: Identity, component: Component) -> Object:
    bounds: dict[str, Any] = {"maxUnavailable": 1}
    if component.spec.minAvailable is not None:
        bounds = {"minAvailable": component.spec.minAvailable}
    elif component.spec.maxUnavailable is not None:
        bounds = {"maxUnavailable": component.spec.maxUnavailable}
    metadata = {
        "name": component.name,
        "namespace": identity.service.namespace,
        "labels": labels_of(identity, component, "budget"),
        "annotations": annotations_of(identity, component, "budget"),
    }
    selector = {"matchLabels": {"app": names.shortened(component.name)}}
    spec = {**bounds, "selector": selector}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
