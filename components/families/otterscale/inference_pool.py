"""InferencePool of a ModelService: the pods of all its roles, and the endpoint picker that chooses among them.

Mirrors otterscale/model-operator internal/modelservice/inferencepool.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping
from typing import Any

from ...kubernetes.endpoint_picker import inference_pool as shared
from ...kubernetes.metadata import metadata
from ...kubernetes.objects import Object
from .names import pool_name


def inference_pool(
    service: str,
    namespace: str,
    labels: Mapping[str, str],
    selector: Mapping[str, str],
    port: int,
    picker: shared.Picker,
) -> Object:
    """``port`` is the pods' port."""
    spec: dict[str, Any] = {
        "targetPorts": [{"number": port}],
        "selector": {"matchLabels": dict(selector)},
        "endpointPickerRef": shared.picker_reference(picker),
    }
    return shared.inference_pool(metadata(pool_name(service), namespace, labels), spec)
