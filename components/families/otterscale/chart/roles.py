"""The serving roles of a chart's values: which there are, how many pods each has and how the model is spread."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....findings import Problem
from .command import Command, command_of
from .no_counterpart import GROUP, lost
from .values import ChartValues, Parallelism, PodMonitor, Role


@dataclass(frozen=True)
class Serving:
    """One role. ``sizes`` are those above 1 that vLLM gets, ``devices`` how many a pod asks for by them."""

    name: str
    values: Role
    command: Command
    sizes: dict[str, int] = field(default_factory=dict)
    devices: int = 1

    @property
    def replicas(self) -> int:
        stated = self.values.replicas
        return stated if stated is not None else int(self.name == "decode")

    @property
    def monitor(self) -> PodMonitor:
        return self.values.monitoring.podmonitor


def roles(values: ChartValues) -> tuple[list[Serving], list[Problem]]:
    """Decode, and prefill where the values have it. A size that an argument sets takes precedence, as in vLLM."""
    serving, problems = [], []
    for name, role in (("decode", values.decode), ("prefill", values.prefill)):
        if role is None or (name == "prefill" and not role.create):
            continue
        command = command_of(role.container)
        sizes = {**_sizes(role.parallelism), **command.sizes}
        above_one = {what: size for what, size in sizes.items() if size > 1}
        serving.append(Serving(name, role, command, above_one, _devices(role.parallelism)))
        problems += _problems(name, role)
    return serving, problems


def _sizes(sizes: Parallelism) -> dict[str, int]:
    """Copies that only one of two fields counts are all of them in the one pod."""
    data = sizes.data or sizes.dataLocal * max(sizes.workers, 1)
    return {"tensor": sizes.tensor, "data": data, "dataLocal": _data_local(sizes)}


def _data_local(sizes: Parallelism) -> int:
    return sizes.dataLocal or (sizes.data // sizes.workers if sizes.workers else sizes.data)


def _devices(sizes: Parallelism) -> int:
    return max(sizes.tensor, 1) * max(_data_local(sizes), 1)


def _problems(name: str, role: Role) -> Iterator[Problem]:
    sizes, path = role.parallelism, f"{name}.parallelism"
    if name == "decode" and not role.create:
        message = "must be true: a ModelService has decode pods, which also do prefill when nothing else does"
        yield Problem("decode.create", message, code="bad-value")
    if sizes.workers > 1:
        yield lost(f"{path}.workers", GROUP)
    if sizes.data and sizes.workers and sizes.data % sizes.workers:
        message = f"must be a multiple of workers, got {sizes.data} and {sizes.workers}"
        yield Problem(f"{path}.data", message, code="bad-value")
    elif sizes.data and sizes.dataLocal and sizes.data % sizes.dataLocal:
        message = f"must be a multiple of dataLocal, got {sizes.data} and {sizes.dataLocal}"
        yield Problem(f"{path}.data", message, code="bad-value")
    types = role.acceleratorTypes
    if types.labelKey and len(types.labelValues) != 1:
        why = f"a ModelService chooses nodes by one value of a label, got {len(types.labelValues)}"
        yield lost(f"{name}.acceleratorTypes.labelValues", why)
