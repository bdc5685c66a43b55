"""PodMonitor of a serving role: Prometheus reads the metrics of its pods.

Mirrors otterscale/model-operator internal/modelservice/podmonitor.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping

from ...kubernetes.metadata import metadata
from ...kubernetes.objects import Object
from .spec import PodMonitorSpec


def pod_monitor(
    name: str, namespace: str, labels: Mapping[str, str], selector: Mapping[str, str], monitor: PodMonitorSpec
) -> Object:
    endpoint = {
        "port": monitor.portName or "http",
        "path": monitor.path or "/metrics",
        "interval": monitor.interval or "30s",
    }
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": metadata(name, namespace, labels),
        "spec": {"selector": {"matchLabels": dict(selector)}, "podMetricsEndpoints": [endpoint]},
    }
