"""Service of an endpoint picker, with the port that gateways call and the metrics port.

Mirrors otterscale/model-operator internal/modelservice/epp_service.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .inference_pool import Picker
from .spec import EXT_PROC_PORT_NAME, METRICS_PORT, METRICS_PORT_NAME, EndpointPickerSpec


def service(spec: EndpointPickerSpec, labels: Mapping[str, str], selector: Mapping[str, str]) -> Object:
    numbers = {EXT_PROC_PORT_NAME: spec.port, METRICS_PORT_NAME: METRICS_PORT}
    ports = [{"name": name, "port": port, "targetPort": port, "protocol": "TCP"} for name, port in numbers.items()]
    described = metadata(spec.name, spec.namespace, labels)
    return picker_service(described, {"selector": dict(selector), "ports": ports})


def picker_service(metadata: dict[str, Any], spec: Mapping[str, Any]) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": dict(spec)}


def reference(spec: EndpointPickerSpec) -> Picker:
    """The picker as a pool that it serves refers to it."""
    return Picker(spec.name, spec.port, spec.failureMode)
