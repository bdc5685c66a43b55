"""InferencePool: the pods that can serve a request, and the endpoint picker that chooses among them."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ..objects import Object

GROUP = "inference.networking.k8s.io"
ALPHA_GROUP = "inference.networking.x-k8s.io"
GROUPS = (GROUP, ALPHA_GROUP)

EXT_PROC_PORT = 9002
"""Default port on which gateways call an endpoint picker."""


class Picker(NamedTuple):
    """How a pool refers to its endpoint picker."""

    name: str
    port: int = EXT_PROC_PORT
    failure_mode: Literal["FailOpen", "FailClose"] = "FailClose"
    group: str = ""
    kind: str = "Service"


def inference_pool(metadata: dict[str, Any], spec: Mapping[str, Any]) -> Object:
    """A v1 pool."""
    return {"apiVersion": f"{GROUP}/v1", "kind": "InferencePool", "metadata": metadata, "spec": dict(spec)}


def alpha_inference_pool(metadata: dict[str, Any], spec: Mapping[str, Any]) -> Object:
    """A v1alpha2 pool."""
    return {**inference_pool(metadata, spec), "apiVersion": f"{ALPHA_GROUP}/v1alpha2"}


def picker_reference(picker: Picker) -> dict[str, Any]:
    """``endpointPickerRef`` of a v1 pool."""
    return {**_head(picker), "port": {"number": picker.port}, "failureMode": picker.failure_mode}


def extension_reference(picker: Picker) -> dict[str, Any]:
    """``extensionRef`` of a v1alpha2 pool."""
    return {**_head(picker), "portNumber": picker.port, "failureMode": picker.failure_mode}


def _head(picker: Picker) -> dict[str, Any]:
    return {"group": picker.group, "kind": picker.kind, "name": picker.name}
