"""Probes: the default ones as the API has them, and what the API server refuses in a user's.

Not proved here: that a server answers them.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.core import Probe
from modelservices.kubernetes.model import read
from modelservices.kubernetes.probes import Timing, http, probe, probe_problems, tcp


def problems(kind: str, **fields: Any) -> list[tuple[str, str]]:
    given, wrong = read(Probe, fields)
    assert given is not None, wrong
    return [(problem.severity, problem.path) for problem in probe_problems(kind, given, "p", ["http"])]


def test_default_probes() -> None:
    timing = Timing(period=10, timeout=5, failures=180)
    numbers = {"periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 180}
    assert probe(http("/health", 80), timing) == {"httpGet": {"path": "/health", "port": 80}, **numbers}
    assert probe(tcp(80), timing) == {"tcpSocket": {"port": 80}, **numbers}


TCP = {"tcpSocket": {"port": 80}}


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("startup", TCP, []),
        ("readiness", {"httpGet": {"port": "http"}, "successThreshold": 2}, []),
        ("startup", {}, [("error", "p")]),
        ("startup", {**TCP, "exec": {"command": ["x"]}}, [("error", "p")]),
        ("startup", {"exec": {}}, [("error", "p.exec.command")]),
        ("startup", {**TCP, "periodSeconds": 0}, [("error", "p.periodSeconds")]),
        ("startup", {**TCP, "initialDelaySeconds": -1}, [("error", "p.initialDelaySeconds")]),
        ("liveness", {**TCP, "successThreshold": 2}, [("error", "p.successThreshold")]),
        ("readiness", {**TCP, "terminationGracePeriodSeconds": 5}, [("error", "p.terminationGracePeriodSeconds")]),
        ("startup", {"tcpSocket": {"port": 0}}, [("error", "p.tcpSocket.port")]),
        ("startup", {"httpGet": {"port": "Not_a_port"}}, [("error", "p.httpGet.port")]),
        ("startup", {"httpGet": {"port": "metrics"}}, [("warning", "p.httpGet.port")]),
    ],
)
def test_users_probes(kind: str, fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert problems(kind, **fields) == expected
