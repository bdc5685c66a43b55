"""Service of the endpoint picker: what the pool's gateways ask, and the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .spec import EXT_PROC_PORT_NAME, METRICS_PORT, METRICS_PORT_NAME, EndpointPickerSpec


def service(spec: EndpointPickerSpec, labels: Mapping[str, str], selector: Mapping[str, str]) -> Object:
    ports = {EXT_PROC_PORT_NAME: spec.port, METRICS_PORT_NAME: METRICS_PORT}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(spec.name, spec.namespace, labels),
        "spec": {"selector": dict(selector), "ports": [_port(name, port) for name, port in ports.items()]},
    }


def _port(name: str, port: int) -> dict[str, Any]:
    return {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}


def picker_reference(spec: EndpointPickerSpec) -> dict[str, Any]:
    """The ``endpointPickerRef`` of a pool that this picker serves."""
    return {
        "group": "",
        "kind": "Service",
        "name": spec.name,
        "port": {"number": spec.port},
        "failureMode": spec.failureMode,
    }
