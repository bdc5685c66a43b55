"""Mutually exclusive fields: server-side apply merges both sides, and the API server rejects the result.

One manager may set `strategy.type: Recreate` and another one `strategy.rollingUpdate`; each is valid alone. The tables
cover pod templates and Deployments. Kubernetes' OpenAPI document declares two of the groups as unions; the others come
from its descriptions and from the API server's checks.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from .api_fields import fields
from .list_keys import FieldPath, item_key
from .pod_templates import CONTAINERS, pods
from .quantities import amount
from .values import mapping, mappings, value_at

ONE_OF: Mapping[str, tuple[str, ...]] = {
    "EnvVar": ("value", "valueFrom"),
    "EnvVarSource": ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"),
    "LifecycleHandler": ("exec", "httpGet", "sleep", "tcpSocket"),
    "PodResourceClaim": ("resourceClaimName", "resourceClaimTemplateName"),
    "Probe": ("exec", "grpc", "httpGet", "tcpSocket"),
}
"""For each type, fields of which at most one may be set. A Volume may have one besides its name."""

ANY = object()
"""Any non-empty value."""

_PROFILE = tuple(("type", kind, ("localhostProfile",), ANY) for kind in ("RuntimeDefault", "Unconfined"))

EXCLUDED_BY: Mapping[str, tuple[tuple[str, Any, FieldPath, Any], ...]] = {
    "AppArmorProfile": _PROFILE,
    "DeploymentStrategy": (("type", "Recreate", ("rollingUpdate",), ANY),),
    "PodSpec": (("hostPID", True, ("shareProcessNamespace",), ANY), ("shareProcessNamespace", True, ("hostPID",), ANY)),
    "SeccompProfile": _PROFILE,
    "SecurityContext": (
        ("allowPrivilegeEscalation", False, ("privileged",), ANY),
        ("privileged", True, ("allowPrivilegeEscalation",), False),
    ),
}
"""For each type, a field and a value that exclude another field and its value."""

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PROFILES = {"appArmorProfile": "AppArmorProfile", "seccompProfile": "SeccompProfile"}
_EMPTY = (None, "", False)


@cache
def volume_sources() -> tuple[str, ...]:
    return tuple(sorted(fields("Volume").keys() - {"name"}))


def excluded(obj: Mapping[str, Any], live: Mapping[str, Any]) -> list[FieldPath]:
    """Fields of a live object that exclude what an object sets, and that the object doesn't set itself."""
    paths = list(_of_strategy(mapping(obj.get("spec")), mapping(live.get("spec"))))
    there = {pod.path: pod.spec for pod in pods(live)}
    for pod in pods(obj):
        if pod.path in there and "[" not in pod.path:
            path = tuple(f"f:{name}" for name in pod.path.split("."))
            paths += _of_pod(pod.spec, there[pod.path], path)
    return paths


def _of_strategy(spec: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[FieldPath]:
    stated, there, path = mapping(spec.get("strategy")), mapping(live.get("strategy")), ("f:spec", "f:strategy")
    yield from _excluded("DeploymentStrategy", stated, there, path)
    if stated.get("rollingUpdate") and "type" not in stated and there.get("type") == "Recreate":
        yield (*path, "f:type")


def _of_pod(pod: Mapping[str, Any], live: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    yield from _excluded("PodSpec", pod, live, path)
    yield from _of_security(pod, live, path)
    for one, there, where in _pairs(pod, live, "volumes", path):
        yield from _others(volume_sources(), one, there, where)
    for one, there, where in _pairs(pod, live, "resourceClaims", path):
        yield from _others(ONE_OF["PodResourceClaim"], one, there, where)
    for field in CONTAINERS:
        for one, there, where in _pairs(pod, live, field, path):
            yield from _of_container(one, there, where)


def _of_container(one: Mapping[str, Any], there: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    yield from _of_security(one, there, path)
    yield from _of_resources(mapping(one.get("resources")), mapping(there.get("resources")), (*path, "f:resources"))
    for field in _PROBES:
        yield from _others(ONE_OF["Probe"], one.get(field), there.get(field), (*path, f"f:{field}"))
    handlers, live = mapping(one.get("lifecycle")), mapping(there.get("lifecycle"))
    for field in ("postStart", "preStop"):
        where = (*path, "f:lifecycle", f"f:{field}")
        yield from _others(ONE_OF["LifecycleHandler"], handlers.get(field), live.get(field), where)
    for stated, live_entry, where in _pairs(one, there, "env", path):
        yield from _others(ONE_OF["EnvVar"], stated, live_entry, where)
        sources = (stated.get("valueFrom"), live_entry.get("valueFrom"))
        yield from _others(ONE_OF["EnvVarSource"], *sources, (*where, "f:valueFrom"))


def _of_security(one: Mapping[str, Any], there: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    stated, live = mapping(one.get("securityContext")), mapping(there.get("securityContext"))
    path = (*path, "f:securityContext")
    yield from _excluded("SecurityContext", stated, live, path)
    for field, kind in _PROFILES.items():
        yield from _excluded(kind, mapping(stated.get(field)), mapping(live.get(field)), (*path, f"f:{field}"))


def _of_resources(one: Mapping[str, Any], there: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    """Live values that clash: a request above its limit, or an accelerator's request that differs from its limit."""
    for stated, other in (("requests", "limits"), ("limits", "requests")):
        for name, quantity in mapping(one.get(stated)).items():
            bound = mapping(there.get(other)).get(name)
            if bound is None or name in mapping(one.get(other)):
                continue
            low, high = (quantity, bound) if stated == "requests" else (bound, quantity)
            if amount(str(low)) > amount(str(high)) or ("/" in name and amount(str(low)) != amount(str(high))):
                yield (*path, f"f:{other}", f"f:{name}")


def _pairs(
    one: Mapping[str, Any], there: Mapping[str, Any], field: str, path: FieldPath
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], FieldPath]]:
    live = {item.get("name"): item for item in mappings(there.get(field))}
    for item in mappings(one.get(field)):
        if item.get("name") in live:
            yield item, live[item["name"]], (*path, f"f:{field}", item_key(item, ("name",)))


def _others(group: tuple[str, ...], one: Any, there: Any, path: FieldPath) -> Iterator[FieldPath]:
    """Live fields of a group, apart from the one that is stated."""
    stated, live = mapping(one), mapping(there)
    if any(stated.get(field) not in _EMPTY for field in group):
        yield from ((*path, f"f:{name}") for name in group if name not in stated and live.get(name) not in _EMPTY)


def _excluded(kind: str, stated: Mapping[str, Any], there: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    for field, value, other, clashes in EXCLUDED_BY[kind]:
        live = value_at(there, *other)
        is_there = live not in _EMPTY if clashes is ANY else live is clashes
        if stated.get(field) == value and is_there and value_at(stated, *other) is None:
            yield (*path, *(f"f:{name}" for name in other))
