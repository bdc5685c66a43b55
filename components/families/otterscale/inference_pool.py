"""InferencePool of a ModelService: the pods of all its roles, and the endpoint picker that chooses among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.metadata import metadata
from ...kubernetes.objects import Object
from .names import pool_name


def inference_pool(
    service: str,
    namespace: str,
    labels: Mapping[str, str],
    selector: Mapping[str, str],
    port: int,
    picker: Mapping[str, Any],
) -> Object:
    """``port`` is that of the pods, ``picker`` the reference to the endpoint picker's Service."""
    return {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": metadata(pool_name(service), namespace, labels),
        "spec": {
            "targetPorts": [{"number": port}],
            "selector": {"matchLabels": dict(selector)},
            "endpointPickerRef": dict(picker),
        },
    }
