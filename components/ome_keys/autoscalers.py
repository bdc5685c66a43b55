"""HorizontalPodAutoscaler and ScaledObject of a workload."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object

SERVER = "autoscaling.keda.sh/prometheus.serverAddress"
"""Annotation of a service with the address of Prometheus."""
QUERY = "autoscaling.keda.sh/prometheus.query"
"""Annotation of a service with the query whose result KEDA compares."""
DEFAULT_SERVER = "http://prometheus-operated.monitoring.svc.cluster.local:9090"


def utilization(resource: str, percent: int, container: str = "") -> dict[str, Any]:
    """An HPA's metric: a resource, in percent of what the pods, or one of their containers, request."""
    target = {"type": "Utilization", "averageUtilization": percent}
    if container:
        measured = {"name": resource, "container": container, "target": target}
        return {"type": "ContainerResource", "containerResource": measured}
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
