"""The PodMonitor of a service that Prometheus should scrape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.model import Manifest
from ...kubernetes.objects import Object
from . import keys
from .metadata import SERVICE_LABEL


def pod_monitor(service: Manifest, acting: Mapping[str, Any], port: int) -> Object:
    """``port`` is where the pods serve, for a manifest that names no port of its own for metrics."""
    endpoint = {
        "targetPort": int(acting.get(keys.MONITORING_PORT, port)),
        "path": acting.get(keys.MONITORING_PATH, "/metrics"),
    }
    spec = {
        "selector": {"matchLabels": {SERVICE_LABEL: service.name}},
        "podMetricsEndpoints": [endpoint],
    }
    metadata = {"name": service.name, "namespace": service.namespace, "labels": {SERVICE_LABEL: service.name}}
    return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": metadata, "spec": spec}
