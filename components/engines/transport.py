"""Whether the programs of a pod take requests by TLS, whatever family rendered it."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.values import mappings
from .command_reader import container_commands
from .companions import ROUTING_SIDECAR
from .server import server_of
from .tool import is_off


def pod_serves_tls(pod: Mapping[str, Any]) -> bool | None:
    """Whether requests reach a pod by TLS: at its routing sidecar where it has one, else at its server. None where
    neither is known."""
    return next((tls for tls in _served(pod) if tls is not None), None)


def _served(pod: Mapping[str, Any]) -> Iterator[bool | None]:
    items = [*mappings(pod.get("initContainers")), *mappings(pod.get("containers"))]
    sidecars = [item for item in items if ROUTING_SIDECAR.is_in(item.get("image"))]
    for item in sidecars:
        yield not is_off([word for command in container_commands(item) for word in command], "--secure-proxy")
    for item in mappings(pod.get("containers")):
        yield None if item in sidecars else serves_tls(item)


def serves_tls(container: Mapping[str, Any]) -> bool | None:
    """Whether a model server takes requests by TLS; None where its program is not known."""
    server = server_of(container)
    if server is None or not server.engine.certificate:
        return None
    return any(server.has(name) or name in server.env for name in server.engine.certificate)
