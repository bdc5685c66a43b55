"""Requests and limits of containers: extended resources (GPUs), and what the API server rejects."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ..findings import Problem
from .metadata import is_label_key
from .quantities import amount, whole
from .scalars import Opaque
from .values import repeated

_STANDARD = re.compile(r"cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMGTPE]i")
_NATIVE = re.compile(r"(requests\.)?([^/]*\.)?kubernetes\.io/")
_ACCELERATORS = re.compile(
    r"(gpu|gaudi|tpu|npu|neuron|ppu|dcu|i915|xe|mig-[0-9a-z.+-]+|[hilx]pu|ascend|mlu|gcu|qaic|warboy|rngd|atom|accelerator)",
    re.IGNORECASE,
)
_SHARES = re.compile(r"mem|cores|percent", re.IGNORECASE)  # nvidia.com/gpumem is a share of a device, not a count


def is_exact(resource: str) -> bool:
    """Whether a resource's request and limit must be equal: devices and huge pages can't be overcommitted."""
    return is_extended(resource) or resource.startswith("hugepages-")


def is_extended(resource: str) -> bool:
    """Whether a resource comes from a device plugin: it has a domain other than Kubernetes'."""
    return "/" in resource and not _NATIVE.match(resource)


def is_accelerator(resource: str) -> bool:
    """Whether a resource counts accelerators: ``nvidia.com/gpu``, ``nvidia.com/mig-1g.5gb``, ``habana.ai/gaudi``."""
    return _is_of_devices(resource) and not _SHARES.search(resource.partition("/")[2])


def is_share(resource: str) -> bool:
    """Whether a resource is a share of an accelerator, which comes with it: ``aliyun.com/gpu-mem``."""
    return _is_of_devices(resource) and not is_accelerator(resource)


def _is_of_devices(resource: str) -> bool:
    return is_extended(resource) and bool(_ACCELERATORS.search(resource.partition("/")[2]))


def accelerators(resources: Mapping[str, Any]) -> Decimal | None:
    """Number of accelerators of a container, including MIG slices; None if it requests none or an unknown number."""
    limits = {**resources.get("requests", {}), **resources.get("limits", {})}
    counts = [value for name, value in limits.items() if is_accelerator(name)]
    known = [amount(value) for value in counts if not isinstance(value, Opaque)]
    return sum(known, Decimal(0)) if known and len(known) == len(counts) else None


def with_whole_pairs(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The resources, with an equal limit for each extended resource that has only a request."""
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    missing = {name: value for name, value in requests.items() if is_extended(name) and name not in limits}
    return {**resources, "limits": {**limits, **missing}} if missing else dict(resources)


def resource_problems(resources: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Why the API server would reject a container's resources. The names of its claims must differ."""
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for field, values in (("limits", limits), ("requests", requests)):
        for name, value in values.items():
            yield from _quantity_problems(name, value, f"{path}.{field}{_key(name)}")
    for name in requests.keys() & limits.keys():
        request, limit = requests[name], limits[name]
        if isinstance(request, Opaque) or isinstance(limit, Opaque):
            continue
        if is_exact(name) and amount(request) != amount(limit):
            message = f"the request is {request} and the limit {limit}, but the two must be equal for {name}"
            yield Problem(f"{path}.requests{_key(name)}", message)
        elif amount(request) > amount(limit):
            yield Problem(
                f"{path}.requests{_key(name)}",
                f"the request of {request} is above the limit of {limit}; raise the limit or lower the request",
            )
    huge = [name for name in limits if name.startswith("hugepages-")]
    if huge and not {"cpu", "memory"} & {*limits, *requests}:
        yield Problem(f"{path}.limits{_key(huge[0])}", "needs a cpu or memory entry beside it")
    for index, name, _ in repeated(claim["name"] for claim in resources.get("claims", [])):
        yield Problem(f"{path}.claims[{index}]", f"{name} is listed twice; remove one", code="duplicate-name")


def _quantity_problems(name: str, value: Any, path: str) -> Iterator[Problem]:
    if not _STANDARD.fullmatch(name) and not ("/" in name and is_label_key(name)):
        yield Problem(path, "is not a resource: write cpu, memory, or a device with its domain such as nvidia.com/gpu")
    if isinstance(value, Opaque):
        return
    if amount(value) < 0:
        yield Problem(path, f"must be 0 or more, got {value}")
    elif is_exact(name) and whole(value) is None:
        yield Problem(path, f"must be a whole number, got {value}, because {name} can't be split")


def _key(name: str) -> str:
    return f'["{name}"]' if "." in name or "/" in name else f".{name}"
