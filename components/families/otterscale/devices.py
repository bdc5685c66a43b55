"""Accelerators: which device a pod asks for, and how many.

Decisions: O9 (docs/decisions).
"""

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes.core import ResourceRequirements
from ...kubernetes.model import dump
from ...kubernetes.resources import is_accelerator, with_whole_pairs
from .spec import Parallelism, RoleSpec

RESOURCES = {
    "nvidia": "nvidia.com/gpu",
    "amd": "amd.com/gpu",
    "intel-gaudi": "habana.ai/gaudi",
    "google": "google.com/tpu",
}
"""Accelerator to the resource of its device plugin; cpu has none."""


def device_count(parallelism: Parallelism | None) -> int:
    """Devices of one pod. Data parallelism across pods adds none."""
    return max(parallelism.tensor, 1) * max(parallelism.dataLocal, 1) if parallelism else 1


def with_devices(stated: ResourceRequirements, accelerator: str, count: int) -> dict[str, Any]:
    """A container's ``resources`` with ``count`` devices, whatever the user wrote for that device. None are added if
    the user names only other devices, such as MIG slices: no node has both."""
    resources = with_whole_pairs(dump(stated))
    resource = RESOURCES.get(accelerator)
    if not resource or not count or has_only_others(stated, resource):
        return resources
    return {**resources, **{part: {**resources.get(part, {}), resource: str(count)} for part in ("limits", "requests")}}


def has_only_others(stated: ResourceRequirements, resource: str) -> bool:
    """Whether the user names accelerators, all of them by another resource."""
    named = {name for name in (*stated.limits, *stated.requests) if is_accelerator(name)}
    return bool(named) and resource not in named


def without_device(stated: ResourceRequirements, accelerator: str) -> ResourceRequirements:
    """The user's resources without the accelerator's device, whose number the parallelism sets."""
    resource = RESOURCES.get(accelerator)
    parts = {
        part: {name: value for name, value in values.items() if name != resource}
        for part, values in (("limits", stated.limits), ("requests", stated.requests))
    }
    return stated.model_copy(update=parts)


def device_problems(role: RoleSpec, accelerator: str, path: str) -> Iterator[Problem]:
    """Warn if the user's number of devices differs from the parallelism's, which takes precedence."""
    resource, count = RESOURCES.get(accelerator), str(device_count(role.parallelism))
    if resource is None or has_only_others(role.resources, resource):
        return
    for part, values in (("limits", role.resources.limits), ("requests", role.resources.requests)):
        if resource in values and values[resource] != count:
            message = f"is replaced by {count}, which is parallelism.tensor x parallelism.dataLocal; remove it"
            yield Problem(f'{path}.{part}["{resource}"]', message, "warning", "replaced")
