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
    """The ConfigMap of the picker of a name; objects without such a rule have the picker's name."""
    return f"{picker}-config"


def config_map(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(config_map_name(spec.name), spec.namespace, labels),
        "data": config_data(spec),
    }


def config_hash(data: Mapping[str, str]) -> str:
    """SHA-256 of keys and values, joined without separators in the order of the keys; 64 hex digits."""
    return hashlib.sha256("".join(f"{key}{data[key]}" for key in sorted(data)).encode()).hexdigest()
