"""The Service in front of all pods that take requests, and its address."""

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .context import Service
from .labels import metadata, workload_selector
from .listening import serves_tls, serving_port

SERVICE_PORT = 8000
"""Where clients reach the service, wherever its pods listen."""


def workload_service(service: Service) -> Object:
    """The Service in front of all pods that take requests: of a group only the leader does."""
    scheme = _scheme(service)
    port: dict[str, Any] = {"name": scheme, "appProtocol": scheme, "protocol": "TCP"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(service, "workload parts", names.workload_service(service.name)),
        "spec": {
            "ports": [{**port, "port": SERVICE_PORT, "targetPort": serving_port(service, service.decode)}],
            "selector": workload_selector(service),
            "type": "ClusterIP",
        },
    }


def address(service: Service) -> str:
    """Where the service answers inside the cluster, without a gateway."""
    host = f"{names.workload_service(service.name)}.{service.namespace}.svc.cluster.local"
    return f"{_scheme(service)}://{host}:{SERVICE_PORT}"


def _scheme(service: Service) -> str:
    return "https" if serves_tls(service, service.decode) else "http"
