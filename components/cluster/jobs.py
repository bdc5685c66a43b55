"""Jobs run to an end: what of them nobody can change in place, and what changes without being worth another run."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object
from ..kubernetes.values import value_at

JOBS = frozenset(["Job", "JobSet", "TrainJob"])
"""Kinds whose pods run to an end: one that changes is made again."""

RELEASE = "ome.io/version"
"""Label of pods that changes with OME's release."""

REPLACED_BY: Mapping[str, tuple[str, ...]] = {
    "JobSet": ("spec.replicatedJobs", "spec.network", "spec.successPolicy", "spec.failurePolicy"),
    "TrainJob": ("spec.runtimeRef", "spec.trainer"),
}
"""Kind to the fields that its API server or its controller lets nobody change. A Job's are those of Kubernetes."""


def is_replaced(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a job is made again because of a field that the API server itself would let pass."""
    paths = [path.split(".") for path in REPLACED_BY.get(str(after.get("kind")), ())]
    return any(value_at(before, *path) != value_at(after, *path) for path in paths)


def without_release(obj: Object, live: Mapping[str, Any]) -> Object:
    """The job with the release of the live one on its pods, which is not changed for that alone."""
    return {**obj, "spec": _with_release_of(live.get("spec"), obj["spec"])}


def _with_release_of(live: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        there = live if isinstance(live, Mapping) else {}
        return {
            name: there.get(name, item) if name == RELEASE else _with_release_of(there.get(name), item)
            for name, item in value.items()
        }
    if isinstance(value, list) and isinstance(live, list) and len(live) == len(value):
        return [_with_release_of(old, new) for old, new in zip(live, value, strict=True)]
    return value
