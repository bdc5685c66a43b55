"""Security contexts: a user's merged over secure defaults, and pairs of fields that the API server refuses."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from .core import PodSecurityContext, SecurityContext
from .model import dump

CONTAINER = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""A container that can't gain privileges, as the restricted Pod Security Standard asks."""

POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
"""A pod that runs as no root and without unusual system calls, as the same standard asks."""

_ESCALATING = frozenset(["SYS_ADMIN", "CAP_SYS_ADMIN"])


def merged(defaults: Mapping[str, Any], user: Mapping[str, Any]) -> dict[str, Any]:
    """The user's keys over the defaults; capabilities are merged key by key too, so that an ``add`` keeps ``drop``."""
    result = {**defaults, **user}
    if "capabilities" in defaults and "capabilities" in user:
        result["capabilities"] = {**defaults["capabilities"], **user["capabilities"]}
    return result


def container_security(user: SecurityContext | None) -> dict[str, Any]:
    """A container's security context. A privileged one loses the default that the API server would refuse with it."""
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
        message = "can't be false for a privileged container or one with SYS_ADMIN: remove one of the two"
        yield Problem(f"{path}.allowPrivilegeEscalation", message)
    if context.runAsNonRoot and context.runAsUser == 0:
        yield Problem(f"{path}.runAsUser", "can't be 0 with runAsNonRoot: true")
    for name in ("runAsUser", "runAsGroup", "fsGroup"):
        value = getattr(context, name, None)
        if value is not None and not 0 <= value < 2**31:
            yield Problem(f"{path}.{name}", f"must be between 0 and 2147483647, got {value}", code="bad-value")
    for name in ("seccompProfile", "appArmorProfile"):
        profile = getattr(context, name)
        if profile and (profile.type == "Localhost") != bool(profile.localhostProfile):
            message = "is required for type Localhost, and for no other type"
            yield Problem(f"{path}.{name}.localhostProfile", message)
