"""Security contexts: the user's merged over secure defaults, and combinations that the API server rejects."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..findings import Problem
from .core import PodSecurityContext, SecurityContext, Sysctl
from .model import dump
from .scalars import describe

CONTAINER = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""A container that can't gain privileges, as the restricted Pod Security Standard requires."""

POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
"""A pod that runs as non-root and without unusual system calls, as the same standard requires."""

SAFE_SYSCTLS = frozenset(
    [
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    ]
)
"""Sysctls that every kubelet lets a pod set, and that Pod Security's baseline of Kubernetes 1.36 allows."""

_ESCALATING = frozenset(["SYS_ADMIN", "CAP_SYS_ADMIN"])


def merged(defaults: Mapping[str, Any], user: Mapping[str, Any]) -> dict[str, Any]:
    """The user's keys over the defaults. Capabilities are merged key by key, so that ``add`` keeps ``drop``."""
    result = {**defaults, **user}
    if "capabilities" in defaults and "capabilities" in user:
        result["capabilities"] = {**defaults["capabilities"], **user["capabilities"]}
    return result


def container_security(user: SecurityContext | None) -> dict[str, Any]:
    """A container's security context. A privileged one omits the default that the API server would reject with it."""
    if user is None:
        return merged(CONTAINER, {})
    result = merged(CONTAINER, dump(user))
    if _escalates(user) and user.allowPrivilegeEscalation is None:
        del result["allowPrivilegeEscalation"]
    return result


def _escalates(context: SecurityContext) -> bool:
    added = (context.capabilities and context.capabilities.add) or []
    return bool(context.privileged) or not _ESCALATING.isdisjoint(added)


def security_problems(context: SecurityContext | PodSecurityContext | None, path: str) -> Iterator[Problem]:
    """What the API server refuses in the security context of a container or a pod."""
    if context is None:
        return
    if isinstance(context, SecurityContext) and context.allowPrivilegeEscalation is False and _escalates(context):
        message = "can't be false when the container is privileged or has SYS_ADMIN; remove one of the two"
        yield Problem(f"{path}.allowPrivilegeEscalation", message)
    if context.runAsNonRoot and context.runAsUser == 0:
        yield Problem(f"{path}.runAsUser", "can't be 0 with runAsNonRoot: true")
    for name in ("runAsUser", "runAsGroup", "fsGroup"):
        value = getattr(context, name, None)
        if value is not None and not 0 <= value < 2**31:
            yield Problem(f"{path}.{name}", f"must be between 0 and 2147483647, got {value}", code="bad-value")
    if isinstance(context, PodSecurityContext):
        yield from _sysctl_problems(context.sysctls or [], f"{path}.sysctls")
    for name in ("seccompProfile", "appArmorProfile"):
        profile = getattr(context, name)
        if profile and (profile.type == "Localhost") != bool(profile.localhostProfile):
            message = "must be set exactly when type is Localhost"
            yield Problem(f"{path}.{name}.localhostProfile", message)


def _sysctl_problems(sysctls: Sequence[Sysctl], path: str) -> Iterator[Problem]:
    for index, sysctl in enumerate(sysctls):
        if sysctl.name.replace("/", ".") not in SAFE_SYSCTLS:
            message = (
                f"{describe(sysctl.name)} is refused by nodes whose kubelet doesn't allow it "
                "(--allowed-unsafe-sysctls): each pod fails there and the next one is made, hundreds of them; "
                "let the nodes allow it, or leave it out"
            )
            yield Problem(f"{path}[{index}].name", message, "warning", "unsafe-sysctl")
