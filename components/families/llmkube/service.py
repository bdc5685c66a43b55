"""The Service in front of the pods.

Mirrors defilantech/LLMKube internal/controller/service_builder.go at v0.9.19.
Decisions: L1 (docs/decisions).
"""

from ...kubernetes.metadata import metadata
from ...kubernetes.objects import Object
from . import names
from .context import Context
from .labels import selector


def service(resolved: Context) -> Object:
    endpoint = resolved.spec.endpoint
    port = {"name": names.PORT, "port": resolved.service_port, "targetPort": resolved.port, "protocol": "TCP"}
    if endpoint.type == "NodePort" and endpoint.nodePort:
        port["nodePort"] = endpoint.nodePort
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(names.service_name(resolved.name), resolved.namespace, selector(resolved)),
        "spec": {"type": endpoint.type, "selector": selector(resolved), "ports": [port]},
    }
