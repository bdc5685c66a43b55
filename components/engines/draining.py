"""How a server waits before it is told to stop, so that no answer is cut off.

Decisions: draining (docs/decisions).
"""

from collections.abc import Mapping
from typing import Any

from .server import Server, port, server_of


def wait(container: Mapping[str, Any], seconds: int) -> list[str]:
    """The command that a container runs before its server gets SIGTERM: it lasts at least ``seconds``, and as long as
    requests run if the server would drop them. The kubelet ends it with the pod's grace period."""
    server = server_of(container)
    address = _metrics(server) if server else ""
    if not (server and address):
        return ["/bin/sleep", str(seconds)]
    # Without curl in the image, or without an answer, the loop ends at once.
    busy = f"curl --silent --insecure --max-time 20 {address} | grep -q '^{server.engine.metric}.* [1-9][0-9.e+]*$'"
    return ["/bin/sh", "-c", f"sleep {seconds}; while {busy}; do sleep 1; done"]


def _metrics(server: Server) -> str:
    """The address of the metric of running requests; empty if the server finishes them after SIGTERM, or if the address
    is not known or asks for a key."""
    engine, number = server.engine, port(server)
    if not engine.drops_requests or engine.drain_flag in server.flags or not server.exports_metrics or not number:
        return ""
    if engine.prefix_flag in server.flags or any(
        {**server.env, **server.flags}.get(name, "") != "" for name in engine.key_closes_metrics
    ):
        return ""
    return f"{'https' if server.has_certificate else 'http'}://localhost:{number}/metrics"
