"""Small edits of pod specs and containers. Each returns a copy and keeps existing entries of the same name or path."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .objects import Object
from .values import value_at

Container = Mapping[str, Any]
PodSpec = Mapping[str, Any]

SERVERS = frozenset(["Deployment", "LeaderWorkerSet"])
"""Kinds of workloads whose pods serve and can be replaced at any time."""

_TEMPLATES = (("template",), ("leaderWorkerTemplate", "leaderTemplate"), ("leaderWorkerTemplate", "workerTemplate"))


def with_pod_specs(obj: Object, change: Callable[[PodSpec], dict[str, Any]]) -> Object:
    """A workload with the spec of each of its pods changed; other objects stay as they are."""
    for path in _TEMPLATES:
        if isinstance(value_at(obj, "spec", *path, "spec"), Mapping):
            obj = _at(obj, ("spec", *path, "spec"), change)
    return obj


def with_template_annotations(obj: Object, annotations: Mapping[str, str]) -> Object:
    """A server workload with annotations added to its pod templates; other objects stay as they are."""
    for path in _TEMPLATES if obj["kind"] in SERVERS else ():
        if value_at(obj, "spec", *path) is not None:
            obj = _at(obj, ("spec", *path), lambda template: _annotated(template, annotations))
    return obj


def _annotated(template: Mapping[str, Any], annotations: Mapping[str, str]) -> dict[str, Any]:
    metadata = template.get("metadata") or {}
    return {**template, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}


def _at(value: Mapping[str, Any], path: Sequence[str], change: Callable[[PodSpec], dict[str, Any]]) -> dict[str, Any]:
    name, *rest = path
    return {**value, name: _at(value[name], rest, change) if rest else change(value[name])}


def container_of(pod: PodSpec, name: str, field: str = "containers") -> dict[str, Any] | None:
    """The container with this name, or None."""
    return next((item for item in pod.get(field, []) if item["name"] == name), None)


def change_container(
    pod: PodSpec, change: Callable[[dict[str, Any]], dict[str, Any]], name: str, field: str = "containers"
) -> dict[str, Any]:
    """The pod with one container changed; unchanged if it has none of that name."""
    if container_of(pod, name, field) is None:
        return dict(pod)
    return {**pod, field: [change(item) if item["name"] == name else item for item in pod[field]]}


def with_env(container: Container, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The container with the variables added that it does not have yet."""
    return _with_new(container, "env", "name", entries)


def with_mounts(container: Container, mounts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The container with the mounts added whose paths it does not use yet."""
    return _with_new(container, "volumeMounts", "mountPath", mounts)


def with_volumes(pod: PodSpec, volumes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The pod with the volumes added whose names it does not have yet."""
    return _with_new(pod, "volumes", "name", volumes)


def _with_new(
    value: Mapping[str, Any], field: str, identity: str, items: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    present = value.get(field, [])
    taken = {item.get(identity) for item in present}
    added = [dict(item) for item in items if item[identity] not in taken]
    return {**value, field: [*present, *added]} if added else dict(value)
