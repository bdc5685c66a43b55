"""GPUs and other accelerators: requested through limits, and no more of them than the stack may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import Container, containers_of
from modelservices.kubernetes.resources import is_accelerator
from modelservices.kubernetes.scalars import Boolean, Integer, Name
from modelservices.kubernetes.values import mapping, mappings

from ..counting import Use, uses
from ..rule import ObjectRule, Parameters, StackRule

_VISIBLE = "NVIDIA_VISIBLE_DEVICES"
_NONE_VISIBLE = ("", "none", "void")
_SHOWN = 5


class GpuLimits(Parameters):
    initContainers: Boolean = False
    """Whether sources in `envFrom` of init containers are checked as well; downloads get credentials that way."""


class GpuBudget(Parameters):
    maximum: Annotated[Integer, Field(ge=0)] | None = None
    """The most accelerators that all services of the stack may use together; by default there is no budget."""
    resources: list[Name] = []
    """Resources that count as accelerators besides those known by name (`example.com/card`, `example.com/*`)."""


def check_limits(obj: Object, parameters: GpuLimits) -> Iterator[Problem]:
    for container in containers_of(obj):
        resources = container.field("resources")
        requests, limits = (_devices(resources.get(field)) for field in ("requests", "limits"))
        for name, count in requests.items():
            if limits.get(name) != count:
                message = (
                    f"the container {container.name} requests {name} without the same limit; set resources.limits to it"
                )
                yield Problem(f"{container.path}.resources", message)
        if not limits and not requests:
            yield from _unasked(container, sources=parameters.initContainers or not container.ends)


def _devices(values: Any) -> dict[str, str]:
    return {name: str(count) for name, count in mapping(values).items() if is_accelerator(name)}


def _unasked(container: Container, *, sources: bool) -> Iterator[Problem]:
    """A container that requests no devices but gets some by this variable of NVIDIA's container runtime."""
    stated = [(i, each) for i, each in enumerate(mappings(container.body.get("env"))) if each.get("name") == _VISIBLE]
    for index, variable in stated:
        # The value from a Secret, a ConfigMap or a field of the pod is not known here, and may name any device.
        value = variable.get("value") or ("valueFrom" if "valueFrom" in variable else "")
        if isinstance(value, str) and value not in _NONE_VISIBLE:
            message = (
                f"{_VISIBLE} gives the container {container.name} GPUs that the scheduler does not account for; "
                "remove it, and set resources.limits"
            )
            yield Problem(f"{container.path}.env[{index}]", message)
    if stated or not sources:
        return  # a variable in `env` takes precedence over those from `envFrom`
    for index, source in enumerate(mappings(container.body.get("envFrom"))):
        if _VISIBLE.startswith(str(source.get("prefix") or "")):
            message = (
                f"the variables of this source may include {_VISIBLE}, which gives the container {container.name} GPUs "
                "that the scheduler does not account for; set the variable to `void` in env"
            )
            yield Problem(f"{container.path}.envFrom[{index}]", message)


def check_budget(objects: list[Object], parameters: GpuBudget) -> Iterator[str]:
    if parameters.maximum is None:
        return
    all_uses = uses(objects, parameters.resources)
    for use in all_uses:
        if use.copies is None:
            yield (
                f"{use.name} scales without a bound, with {use.each} accelerators per pod; set the annotation "
                "autoscaling.knative.dev/max-scale"
            )
    bounded = [use for use in all_uses if use.copies is not None]
    total = sum(_total(use) for use in bounded)
    if total > parameters.maximum:
        yield (
            f"the stack uses up to {total} accelerators, more than its budget of {parameters.maximum} "
            f"({_largest(bounded)}): lower replicas or what autoscalers go up to, or raise gpu-budget.maximum"
        )


def _total(use: Use) -> int:
    return (use.copies or 0) * use.each


def _largest(largest: list[Use]) -> str:
    shown = [f"{use.name}: {use.copies} x {use.each}" for use in largest[:_SHOWN]]
    return "; ".join([*shown, *([f"{len(largest) - _SHOWN} more"] if len(largest) > _SHOWN else [])])


GPU_LIMITS = ObjectRule("gpu-limits", "GPUs are asked for by limits.", "mandatory", GpuLimits, check_limits)
GPU_BUDGET = StackRule("gpu-budget", "The stack stays within its budget of GPUs.", "mandatory", GpuBudget, check_budget)
