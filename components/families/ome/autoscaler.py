"""HorizontalPodAutoscaler and ScaledObject of a component that is a Deployment, or of any other workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.objects import Object
from . import names
from .metadata import Identity, annotations_of, labels_of
from .scaling import Scaling


def autoscaler(identity: Identity, scaling: Scaling) -> tuple[str, Object] | None:
    """Role and object of what scales the component, or None where nothing here does."""
    component = scaling.component
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": component.name}
    if scaling.by == "keda":
        metadata = _metadata(identity, scaling, names.scaled_object(component.name), "scaled-object")
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


def utilization(resource: str, percent: int) -> dict[str, Any]:
    """An HPA's metric: a resource, in percent of what the pods request."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": resource, "target": target}}


def horizontal(
    metadata: Mapping[str, Any], target: Mapping[str, Any], low: int, high: int, metric: Mapping[str, Any]
) -> Object:
    """An HPA, which keeps one pod at least. ``target`` is a scaleTargetRef."""
    least = max(1, low)
    spec = {
        "scaleTargetRef": dict(target),
        "minReplicas": least,
        "maxReplicas": max(high, least),
        "metrics": [dict(metric)],
        "behavior": {},
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": dict(metadata),
        "spec": spec,
    }


def scaled_object(
    metadata: Mapping[str, Any], target: Mapping[str, Any], low: int, high: int, trigger: Mapping[str, Any]
) -> Object:
    """A ScaledObject of KEDA's. ``target`` is a scaleTargetRef."""
    spec = {
        "scaleTargetRef": dict(target),
        "minReplicaCount": low,
        "maxReplicaCount": max(high, low),
        "triggers": [dict(trigger)],
    }
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": dict(metadata), "spec": spec}


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
