"""Security contexts: the user's over secure defaults, and what the API server refuses.

Not proved here: that an image runs under them.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.core import PodSecurityContext, SecurityContext
from modelservices.kubernetes.model import read
from modelservices.kubernetes.security import container_security, security_problems

ALL = {"drop": ["ALL"]}
SECURE = {"allowPrivilegeEscalation": False, "capabilities": ALL}


def context(**fields: Any) -> SecurityContext:
    found, problems = read(SecurityContext, fields)
    assert found is not None, problems
    return found


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({}, SECURE),
        ({"runAsUser": 1000}, {**SECURE, "runAsUser": 1000}),
        ({"capabilities": {"add": ["IPC_LOCK"]}}, {**SECURE, "capabilities": {**ALL, "add": ["IPC_LOCK"]}}),
        ({"capabilities": {"drop": []}}, {**SECURE, "capabilities": {"drop": []}}),
        ({"allowPrivilegeEscalation": True}, {"allowPrivilegeEscalation": True, "capabilities": ALL}),
        ({"privileged": True}, {"privileged": True, "capabilities": ALL}),
        ({"privileged": False}, {**SECURE, "privileged": False}),
        ({"capabilities": {"add": ["SYS_ADMIN"]}}, {"capabilities": {**ALL, "add": ["SYS_ADMIN"]}}),
    ],
)
def test_merged_over_the_defaults(user: dict[str, Any], expected: dict[str, Any]) -> None:
    assert container_security(context(**user)) == expected


def test_without_a_users_context() -> None:
    assert container_security(None) == SECURE


@pytest.mark.parametrize(
    ("user", "path"),
    [
        ({"allowPrivilegeEscalation": False, "privileged": True}, "s.allowPrivilegeEscalation"),
        ({"allowPrivilegeEscalation": False, "capabilities": {"add": ["SYS_ADMIN"]}}, "s.allowPrivilegeEscalation"),
        ({"runAsNonRoot": True, "runAsUser": 0}, "s.runAsUser"),
        ({"runAsUser": -1}, "s.runAsUser"),
        ({"runAsGroup": 2**31}, "s.runAsGroup"),
        ({"seccompProfile": {"type": "Localhost"}}, "s.seccompProfile.localhostProfile"),
        ({"appArmorProfile": {"type": "Unconfined", "localhostProfile": "x"}}, "s.appArmorProfile.localhostProfile"),
    ],
)
def test_what_the_server_refuses(user: dict[str, Any], path: str) -> None:
    assert [problem.path for problem in security_problems(context(**user), "s")] == [path]


def test_a_pods_context() -> None:
    pod = PodSecurityContext(fsGroup=-1, runAsUser=1000)
    assert [problem.path for problem in security_problems(pod, "s")] == ["s.fsGroup"]
    assert list(security_problems(None, "s")) == []


def test_sysctls_that_nodes_refuse_are_named() -> None:
    sysctls = [{"name": "net/ipv4/tcp_fin_timeout", "value": "10"}, {"name": "net.core.somaxconn", "value": "1024"}]
    (problem,) = security_problems(PodSecurityContext(sysctls=sysctls), "s")  # pyright: ignore[reportArgumentType]
    assert (problem.path, problem.severity, problem.code) == ("s.sysctls[1].name", "warning", "unsafe-sysctl")
