"""Changes pod specs: generated parts are merged item by item under what the user wrote."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...kubernetes import pod_edits
from .merge import merge

Pod = dict[str, Any]
MAIN = "main"


def with_generated(pod: Pod, generated: Mapping[str, Any]) -> Pod:
    """``generated`` with the pod merged over it; new containers and volumes come after the pod's."""
    merged = merge(_beside_mounts(pod, generated), pod)
    for field in ("containers", "initContainers", "volumes"):
        if field in merged:
            order = {item["name"]: place for place, item in enumerate(pod.get(field, []))}
            merged[field] = sorted(merged[field], key=lambda item: order.get(item["name"], len(order)))
    return merged


def _beside_mounts(pod: Pod, generated: Mapping[str, Any]) -> dict[str, Any]:
    """``generated`` without mounts at paths where the pod's container already has a mount."""
    result = dict(generated)
    for field in ("containers", "initContainers"):
        if field in generated:
            result[field] = [_without_mounts(item, container(pod, item["name"], field)) for item in generated[field]]
    return result


def _without_mounts(item: dict[str, Any], stated: Mapping[str, Any] | None) -> dict[str, Any]:
    taken = {mount["mountPath"] for mount in (stated or {}).get("volumeMounts", [])}
    if "volumeMounts" not in item or not taken:
        return item
    return {**item, "volumeMounts": [mount for mount in item["volumeMounts"] if mount["mountPath"] not in taken]}


def container(pod: Mapping[str, Any], name: str = MAIN, field: str = "containers") -> dict[str, Any] | None:
    return pod_edits.container_of(pod, name, field)


def change_container(
    pod: Pod, change: Callable[[dict[str, Any]], dict[str, Any]], name: str = MAIN, field: str = "containers"
) -> Pod:
    return pod_edits.change_container(pod, change, name, field)


def with_env(pod: Pod, env: Iterable[Mapping[str, Any]], name: str = MAIN, field: str = "containers") -> Pod:
    """Add the environment variables that the container does not have yet."""
    return change_container(pod, lambda item: pod_edits.with_env(item, env), name, field)
