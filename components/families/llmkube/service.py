"""The Service in front of the pods."""

from __future__ import annotations

from ...kubernetes.objects import Object
from . import names
from .context import Context
from .labels import selector


def service(resolved: Context) -> Object:
    port = {"name": names.PORT, "port": resolved.service_port, "targetPort": resolved.port, "protocol": "TCP"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": names.service_name(resolved.name),
            "namespace": resolved.namespace,
            "labels": selector(resolved),
        },
        "spec": {"type": resolved.spec.endpoint.type, "selector": selector(resolved), "ports": [port]},
    }
