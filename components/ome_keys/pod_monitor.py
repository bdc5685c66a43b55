"""The PodMonitor of pods that Prometheus should scrape."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object
from . import keys


def pod_monitor(name: str, namespace: str, pods: Mapping[str, Any], effective: Mapping[str, Any], port: int) -> Object:
    """``pods`` are the labels of the pods, which their metrics have too; ``port`` is where they serve, unless the keys
    name a port for metrics."""
    endpoint = {
        "targetPort": int(effective.get(keys.MONITORING_PORT, port)),
        "path": effective.get(keys.MONITORING_PATH, "/metrics"),
    }
    spec = {
        "selector": {"matchLabels": dict(pods)},
        "podTargetLabels": sorted(pods),
        "podMetricsEndpoints": [endpoint],
    }
    metadata = {"name": name, "namespace": namespace, "labels": dict(pods)}
    return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": metadata, "spec": spec}
