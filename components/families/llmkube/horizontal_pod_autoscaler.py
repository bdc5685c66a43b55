"""The HorizontalPodAutoscaler of a service with ``autoscaling``."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from .context import Context
from .labels import selector
from .spec import Autoscaling, Metric

DEFAULT_LOAD = "2"
"""Average load of a pod that the default metric aims at."""


def horizontal_pod_autoscaler(service: Context) -> Object | None:
    scaling = service.autoscaling
    if scaling is None:
        return None
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": service.name, "namespace": service.namespace, "labels": selector(service)},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": service.name},
            "minReplicas": scaling.minReplicas,
            "maxReplicas": scaling.maxReplicas,
            "metrics": _metrics(scaling, service.engine.metric),
        },
    }


def _metrics(scaling: Autoscaling, load: str) -> list[dict[str, Any]]:
    return [_metric(metric) for metric in scaling.metrics] or [_pods(load, DEFAULT_LOAD)]


def _metric(metric: Metric) -> dict[str, Any]:
    if metric.type == "Pods":
        return _pods(metric.name, metric.targetAverageValue)
    target = {"type": "Utilization", "averageUtilization": metric.targetAverageUtilization}
    return {"type": "Resource", "resource": {"name": metric.name, "target": target}}


def _pods(name: str, value: Any) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": value}
    return {"type": "Pods", "pods": {"metric": {"name": name}, "target": target}}
