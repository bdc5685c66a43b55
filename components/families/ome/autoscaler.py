"""HorizontalPodAutoscaler and ScaledObject of a component that is a Deployment."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .metadata import Identity, annotations_of, labels_of
from .scaling import Scaling


def autoscaler(identity: Identity, scaling: Scaling) -> tuple[str, Object] | None:
    """Role and object of what scales the component, or None where nothing here does."""
    if scaling.by == "keda":
        return "scaled-object", _scaled_object(identity, scaling)
    if scaling.by == "hpa" and not scaling.stays_at_zero:
        return "autoscaler", _horizontal(identity, scaling)
    return None


def _target(scaling: Scaling) -> dict[str, Any]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "name": scaling.component.name}


def _horizontal(identity: Identity, scaling: Scaling) -> Object:
    component = scaling.component
    low = max(1, component.low)
    metric = {
        "type": "Resource",
        "resource": {
            "name": scaling.hpa_metric,
            "target": {"type": "Utilization", "averageUtilization": scaling.utilization},
        },
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {
            "name": component.name,
            "namespace": identity.service.namespace,
            "labels": labels_of(identity, component, "autoscaler"),
            "annotations": annotations_of(identity, component, "autoscaler"),
        },
        "spec": {
            "scaleTargetRef": _target(scaling),
            "minReplicas": low,
            "maxReplicas": max(component.high, low),
            "metrics": [metric],
            "behavior": {},
        },
    }


def _scaled_object(identity: Identity, scaling: Scaling) -> Object:
    component = scaling.component
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {
            "name": names.scaled_object(component.name),
            "namespace": identity.service.namespace,
            "labels": labels_of(identity, component, "scaled-object"),
            "annotations": annotations_of(identity, component, "scaled-object"),
        },
        "spec": {
            "scaleTargetRef": _target(scaling),
            "minReplicaCount": component.low,
            "maxReplicaCount": max(component.high, component.low),
            "triggers": [_trigger(scaling)],
        },
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
