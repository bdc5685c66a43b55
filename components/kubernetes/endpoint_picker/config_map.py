"""ConfigMap with the picker's config file, and the hash that rolls the pods when the file changes.

Mirrors otterscale/model-operator internal/modelservice/epp_configmap.go at v0.9.0-alpha.2.
"""

import hashlib
from collections.abc import Mapping

from ..metadata import metadata
from ..objects import Object
from .plugins import config_data
from .spec import EndpointPickerSpec


def config_map_name(picker: str) -> str:
    """Name of a picker's ConfigMap. Most other objects have the picker's own name."""
    return f"{picker}-config"


def config_map(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(config_map_name(spec.name), spec.namespace, labels),
        "data": config_data(spec),
    }


def config_hash(data: Mapping[str, str]) -> str:
    """SHA-256 of keys and values, concatenated without separators in key order, as 64 hex digits."""
    return hashlib.sha256("".join(f"{key}{data[key]}" for key in sorted(data)).encode()).hexdigest()
