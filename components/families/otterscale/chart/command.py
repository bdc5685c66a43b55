"""The command line of a chart's container, as what a ModelService adds to its ``vllm serve``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ....engines.vllm import DIALECT
from .values import Container

_SIZES = {"--tensor-parallel-size": "tensor", "--data-parallel-size": "data", "--data-parallel-size-local": "dataLocal"}
_MODEL = "--model"
_PORT = "--port"
_NAMES = "--served-model-name"


@dataclass(frozen=True)
class Command:
    """``args`` are the user's without what a ModelService generates; ``sizes``, ``model``, ``port`` and ``names`` are
    what they said of that. ``other`` is a program that is not vLLM's server."""

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
    """The words without some flags and their values."""
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
