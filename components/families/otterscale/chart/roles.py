"""The serving roles of a chart's values: their number of pods, how the model is spread over them, and what their
command lines add to a ModelService's ``vllm serve``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ....engines.vllm import DIALECT
from ....findings import Problem
from .no_counterpart import GROUP, lost
from .values import ChartValues, Container, Parallelism, PodMonitor, Role

_SIZES = {"--tensor-parallel-size": "tensor", "--data-parallel-size": "data", "--data-parallel-size-local": "dataLocal"}
_MODEL = "--model"
_PORT = "--port"
_NAMES = "--served-model-name"


@dataclass(frozen=True)
class Command:
    """``args`` are the user's arguments without those that a ModelService generates; ``sizes``, ``model``, ``port`` and
    ``names`` are the values of those. ``other`` is a program that is not vLLM's server."""

    args: list[str] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    model: str = ""
    port: str = ""
    names: tuple[str, ...] = ()
    other: str = ""


def command_of(container: Container) -> Command:
    custom = container.modelCommand == "custom"
    words = [*(container.command if custom else []), *container.args]
    if custom and container.command:
        rest = _after_vllm(words)
        if rest is None:
            return Command(other=" ".join(container.command))
        words = rest
    positional = [words[0]] if custom and words and not words[0].startswith("-") else []
    words = words[len(positional) :]
    flags = DIALECT.flags(words)
    sizes = {name: int(flags[flag]) for flag, name in _SIZES.items() if _is_count(flags.get(flag))}
    return Command(
        args=list(_without(words, {_MODEL, _PORT, _NAMES, *(flag for flag, name in _SIZES.items() if name in sizes)})),
        sizes=sizes,
        model=flags.get(_MODEL) or next(iter(positional), ""),
        port=flags.get(_PORT) or "",
        names=tuple(_values(_NAMES, words)),
    )


def _after_vllm(words: Sequence[str]) -> list[str] | None:
    """The arguments of vLLM's server, None for another program."""
    if words[0].rpartition("/")[2] == "vllm" and words[1:2] == ["serve"]:
        return list(words[2:])
    if words[0].rpartition("/")[2].startswith("python") and words[1:3] == ["-m", "vllm.entrypoints.openai.api_server"]:
        return list(words[3:])
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10 and int(value) > 0


def _without(words: Sequence[str], flags: set[str]) -> Iterator[str]:
    dropping = False
    for word in words:
        flag = DIALECT.name(word)
        if flag:
            dropping = flag in flags
        if not dropping:
            yield word
        elif "=" in word:
            dropping = False


def _values(flag: str, words: Sequence[str]) -> Iterator[str]:
    """All the values of a flag that takes several."""
    within = False
    for word in words:
        name = DIALECT.name(word)
        if name:
            within = name == flag
            joined = word.partition("=")[2]
            if within and joined:
                yield joined
        elif within:
            yield word


@dataclass(frozen=True)
class Serving:
    """One role. ``sizes`` are vLLM's sizes above 1; ``devices`` is the number that a pod requests."""

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
    """Decode, and prefill if the values have it. A size that an argument sets takes precedence, as in vLLM."""
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
    """If only one of ``data`` and ``dataLocal`` is set, the other follows from the workers."""
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
