"""Devices of a chart's pods: a ModelService sets the number of a few kinds, others stay under resources."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....findings import Problem
from ....kubernetes.gpu import NVIDIA
from ....kubernetes.model import dump
from ..devices import RESOURCES
from .roles import Serving
from .values import ChartValues

SIMULATOR = "llm-d-inference-sim"
"""Part of the name of an image that serves without a device."""
CHART_RESOURCES = {
    **RESOURCES,
    "intel-i915": "gpu.intel.com/i915",
    "intel-xe": "gpu.intel.com/xe",
    "rebellions-atom": "rebellions.ai/ATOM",
}
"""Kind of accelerator to the resource that the chart requests."""
_NONE = "cpu"


class Devices(NamedTuple):
    """``type`` is the ModelService's accelerator; ``resources`` maps each role to the devices, with their number, under
    its resources."""

    type: str
    resources: Mapping[str, Mapping[str, str]]


def accelerator(values: ChartValues, serving: list[Serving]) -> tuple[Devices, list[Problem]]:
    """The kind of accelerator for all roles. If a ModelService would request other devices than the chart, the kind is
    ``cpu``, which requests none, and the devices go under resources."""
    unknown = list(_unknown(values, serving))
    asked = {role.name: _asked(values, role) for role in serving}
    kinds = {_kind(values, role) for role in serving}
    kind = next(iter(kinds)) if len(kinds) == 1 else ""
    counted = {role.name: {RESOURCES[kind]: str(_count(role))} for role in serving} if kind in RESOURCES else None
    if counted == asked:
        return Devices(kind, {}), unknown
    if not any(asked.values()):
        return Devices(_NONE, {}), unknown
    message = (
        "becomes cpu, with the devices under resources, because a ModelService requests tensor x dataLocal devices "
        f"of one kind, and the chart {_listed(asked)}"
    )
    return Devices(_NONE, asked), [*unknown, Problem("accelerator.type", message, "info", "devices-in-resources")]


def with_devices(role: Serving, devices: Devices) -> dict[str, Any]:
    """The container's resources, without a device whose number the ModelService sets."""
    resources = dump(role.values.container.resources)
    counted = RESOURCES.get(devices.type)
    shares = devices.resources.get(role.name, {})
    parts = {
        part: {**{name: value for name, value in resources.get(part, {}).items() if name != counted}, **shares}
        for part in ("limits", "requests")
    }
    return {part: values for part, values in parts.items() if values}


def _unknown(values: ChartValues, serving: list[Serving]) -> Iterator[Problem]:
    known = {*CHART_RESOURCES, *values.accelerator.resources, _NONE}
    types = {"accelerator.type": values.accelerator.type}
    types |= {f"{role.name}.accelerator.type": role.values.accelerator.type or _NONE for role in serving}
    for path, kind in types.items():
        if kind not in known:
            message = f"is unknown to the chart, which falls back to {NVIDIA}; write one of {', '.join(sorted(known))}"
            yield Problem(path, message, "warning", "unknown-accelerator")


def _kind(values: ChartValues, role: Serving) -> str:
    return role.values.accelerator.type or values.accelerator.type


def _asked(values: ChartValues, role: Serving) -> dict[str, str]:
    """Devices and numbers that the chart's pod requests: by its resources, otherwise by the parallelism."""
    resources = {**role.values.container.resources.requests, **role.values.container.resources.limits}
    named = {name: str(value) for name, value in resources.items() if _is_device(name, values)}
    kind = _kind(values, role)
    if named or kind == _NONE or SIMULATOR in role.values.container.image:
        return named
    resource = {**CHART_RESOURCES, **values.accelerator.resources}.get(kind, NVIDIA)
    return {resource: str(role.devices)}


def _is_device(resource: str, values: ChartValues) -> bool:
    """Whether a resource is a device of any kind, or a part of one (``nvidia.com/mig-1g.10gb``)."""
    known = {*CHART_RESOURCES.values(), *values.accelerator.resources.values()}
    return resource in known or resource.partition("/")[0] == NVIDIA.partition("/")[0]


def _count(role: Serving) -> int:
    """The number of devices that a ModelService requests."""
    return role.sizes.get("tensor", 1) * role.sizes.get("dataLocal", 1)


def _listed(asked: Mapping[str, Mapping[str, str]]) -> str:
    return ", ".join(
        f"{count} {name} ({role})" for role, resources in asked.items() for name, count in resources.items()
    )
