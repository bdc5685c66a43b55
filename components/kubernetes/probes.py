"""Builds the probes of a server's container, and checks the user's as the API server does."""

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ..findings import Problem
from .core import Probe

PROBE_FIELDS = ("startupProbe", "livenessProbe", "readinessProbe")

_HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
_PORT_NAME = r"(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?"
_LEAST = {"failureThreshold": 1, "initialDelaySeconds": 0, "periodSeconds": 1, "successThreshold": 1}
_LEAST |= {"timeoutSeconds": 1, "terminationGracePeriodSeconds": 1}


class Timing(NamedTuple):
    """Seconds between probes, timeout in seconds, and failures in a row until the probe has failed."""

    period: int
    timeout: int
    failures: int


def http(path: str, port: int, scheme: str = "HTTP") -> dict[str, Any]:
    """An HTTP GET; HTTP as the scheme is left out, because it is Kubernetes' default."""
    return {"httpGet": {"path": path, "port": port, **({} if scheme == "HTTP" else {"scheme": scheme})}}


def tcp(port: int) -> dict[str, Any]:
    return {"tcpSocket": {"port": port}}


def probe(handler: dict[str, Any], timing: Timing) -> dict[str, Any]:
    return {
        **handler,
        "periodSeconds": timing.period,
        "timeoutSeconds": timing.timeout,
        "failureThreshold": timing.failures,
    }


def probe_problems(kind: str, stated: Probe, path: str, ports: Collection[str]) -> Iterator[Problem]:
    """Problems of a user's probe. ``kind`` is startup, liveness or readiness; ``ports`` are the named ports."""
    handlers = [name for name in _HANDLERS if getattr(stated, name) is not None]
    if len(handlers) != 1:
        yield Problem(path, f"must have exactly one of {', '.join(_HANDLERS)}, got {', '.join(handlers) or 'none'}")
    for field, least in _LEAST.items():
        value = getattr(stated, field)
        if value is not None and value < least:
            yield Problem(f"{path}.{field}", f"must be {least} or more, got {value}", code="bad-value")
    if kind != "readiness" and stated.successThreshold not in (None, 1):
        yield Problem(f"{path}.successThreshold", f"must be 1 for a {kind} probe, got {stated.successThreshold}")
    if kind == "readiness" and stated.terminationGracePeriodSeconds is not None:
        message = "has no meaning for a readiness probe, and the API server refuses it; remove it"
        yield Problem(f"{path}.terminationGracePeriodSeconds", message, code="readiness-grace-period")
    if stated.exec is not None and not stated.exec.command:
        yield Problem(f"{path}.exec.command", "must not be empty")
    yield from _port_problems(stated, path, ports)


def _port_problems(stated: Probe, path: str, ports: Collection[str]) -> Iterator[Problem]:
    for field, action in (("httpGet", stated.httpGet), ("tcpSocket", stated.tcpSocket)):
        port = action.port if action else None
        where = f"{path}.{field}.port"
        if isinstance(port, int) and not 1 <= port <= 65535:
            yield Problem(where, f"must be between 1 and 65535, got {port}", code="bad-value")
        elif isinstance(port, str) and not re.fullmatch(_PORT_NAME, port):
            yield Problem(where, f"must be a number or the name of a port, got {port!r}", code="bad-value")
        elif isinstance(port, str) and port not in ports:
            known = f"its ports: {', '.join(ports)}" if ports else "none of its ports has a name"
            message = f"the container has no port {port}, so the probe never succeeds; {known}"
            yield Problem(where, message, "warning", "unknown-port")
