"""Limits and requests of a container: devices in both with one count, and what the API server refuses.

A resource that can't be overcommitted (a device, huge pages) must have a limit, and its request is the limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from .core import ResourceRequirements
from .metadata import is_label_key
from .model import dump
from .quantities import amount, whole

_STANDARD = re.compile(r"cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMGTPE]i")


def is_device(name: str) -> bool:
    """Whether a resource is an extended one, as device plugins offer them: ``nvidia.com/gpu``."""
    return "/" in name and "kubernetes.io/" not in name


def is_exact(name: str) -> bool:
    """Whether request and limit of the resource must be equal."""
    return is_device(name) or name.startswith("hugepages-")


def requirements(given: ResourceRequirements, devices: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A container's ``resources``: the user's, and ``devices`` (name to count) in their place.

    A device that stands under limits or requests only gets the same count under the other.
    """
    result = dump(given)
    wanted = {name: value for part in ("requests", "limits") for name, value in result.get(part, {}).items()}
    exact = {name: value for name, value in wanted.items() if is_exact(name)} | dict(devices or {})
    for part in ("limits", "requests"):
        if exact or result.get(part):
            result[part] = {**result.get(part, {}), **exact}
    return {part: values for part, values in result.items() if values}


def resource_problems(given: ResourceRequirements, path: str) -> Iterator[Problem]:
    """What the API server would refuse. Quantities that are not known yet are left alone."""
    for part, values in (("limits", given.limits), ("requests", given.requests)):
        for name, value in values.items():
            yield from _entry_problems(
                name, value, f'{path}.{part}["{name}"]' if "/" in name else f"{path}.{part}.{name}"
            )
    for name in given.limits.keys() & given.requests.keys():
        yield from _pair_problems(name, given.limits[name], given.requests[name], path)
    names = [claim.name for claim in given.claims]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Problem(f"{path}.claims[{index}].name", f"{name} is there twice: remove one", code="duplicate-name")


def _entry_problems(name: str, value: Any, where: str) -> Iterator[Problem]:
    if not (_STANDARD.fullmatch(name) or ("/" in name and is_label_key(name))):
        yield Problem(where, "is not a resource: write cpu, memory, or a device with its domain (nvidia.com/gpu)")
    if not isinstance(value, str):
        return
    if amount(value) < 0:
        yield Problem(where, f"must be 0 or more, got {value}", code="bad-value")
    elif is_exact(name) and whole(value) is None:
        yield Problem(where, f"must be a whole number, got {value}", code="bad-value")


def _pair_problems(name: str, limit: Any, request: Any, path: str) -> Iterator[Problem]:
    if not (isinstance(limit, str) and isinstance(request, str)):
        return
    where = f'{path}.requests["{name}"]' if "/" in name else f"{path}.requests.{name}"
    if is_exact(name) and amount(limit) != amount(request):
        yield Problem(where, f"must be the limit, {limit}, because {name} can't be overcommitted, got {request}")
    elif amount(request) > amount(limit):
        yield Problem(where, f"must be at most the limit, {limit}, got {request}")
