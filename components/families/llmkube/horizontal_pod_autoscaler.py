"""The HorizontalPodAutoscaler of a service with ``autoscaling``.

Mirrors defilantech/LLMKube internal/controller/hpa_reconciler.go at v0.9.19.
Decisions: L8, L24 (docs/decisions).
"""

from typing import Any

from ...kubernetes.objects import Object
from .context import Context
from .labels import selector
from .spec import Autoscaling, Metric

DEFAULT_LOAD = "2"
"""Target of the default metric: average load of a pod."""
_LOW_LOADS = {1: "500m", 2: "1"}
"""Targets for pods with so few slots that their load never exceeds the default."""


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
            "metrics": _metrics(scaling, service),
        },
    }


def _metrics(scaling: Autoscaling, service: Context) -> list[dict[str, Any]]:
    load = _pods(service.engine.metric, _LOW_LOADS.get(service.server.slots or 0, DEFAULT_LOAD))
    return [_metric(metric) for metric in scaling.metrics] or [load]


def _metric(metric: Metric) -> dict[str, Any]:
    if metric.type == "Pods":
        return _pods(metric.name, metric.targetAverageValue)
    target = {"type": "Utilization", "averageUtilization": metric.targetAverageUtilization}
    return {"type": "Resource", "resource": {"name": metric.name, "target": target}}


def _pods(name: str, value: Any) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": value}
    return {"type": "Pods", "pods": {"metric": {"name": name}, "target": target}}
