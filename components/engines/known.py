"""The engines that are known, and which of them a container runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

from ..findings import Problem
from .command_line import user_problems
from .engine import Engine
from .generic import GENERIC
from .llama_cpp import LLAMA_CPP
from .sglang import SGLANG
from .tgi import TGI
from .vllm import VLLM

ENGINES = (VLLM, SGLANG, TGI, LLAMA_CPP)

GPU_UTILIZATION = "gpu-utilization"

_SHELLS = frozenset(["ash", "bash", "dash", "sh"])


def engine_of(image: Any, words: Sequence[Any] = ()) -> Engine:
    """The engine of a container by its image's name, else by the words of its command and its own name.

    One that is not known is GENERIC, of which nothing is known.
    """
    text = image if isinstance(image, str) else ""
    by_image = (engine for engine in ENGINES if any(part in text for part in engine.image_names))
    by_word = (engine for word in words for engine in ENGINES if _starts(engine, word))
    return next(by_image, None) or next(by_word, GENERIC)


def _starts(engine: Engine, word: Any) -> bool:
    """Whether a word of a command line (``vllm``, ``/app/llama-server``, ``vllm.entrypoints.…``) starts the engine."""
    name = word.rpartition("/")[2] if isinstance(word, str) else ""
    return any(name == program or name.startswith(f"{program}.") for program in engine.programs)


def model_of(engine: Engine, words: Sequence[Any]) -> str | None:
    """The model that a command line serves: a path or a repository; None where it names none."""
    for flag in filter(None, (engine.model_flag, "--model", "--model-path")):
        found = engine.value_of(words, flag)
        if found:
            return found
    after = next((str(word) for before, word in pairwise(words) if before == "serve"), "-")
    return None if after.startswith("-") else after


def served_names(engine: Engine, words: Sequence[Any]) -> list[str]:
    """The names by which requests may call the model, as the command line says it: those of its flag."""
    name = engine.name_flag or "--served-model-name"
    for index, word in enumerate(words):
        if engine.dialect.name(word) == name:
            _, equals, value = str(word).partition("=")
            given = (
                [value]
                if equals
                else list(takewhile(lambda one: not one.startswith("-"), map(str, words[index + 1 :])))
            )
            return given
    return []


def query(load: str, engine: Engine, selector: str) -> str:
    """PromQL for a load of an engine's pods, or for their GPUs; empty where the engine does not have it."""
    return f"avg(DCGM_FI_DEV_GPU_UTIL{selector})" if load == GPU_UTILIZATION else engine.query(load, selector)


def tensor_parallel(words: Sequence[Any]) -> int:
    """GPUs of one pod that share a model, as the command line of any engine says; 1 without such a flag."""
    values = (engine.value_of(words, engine.tensor_parallel) for engine in ENGINES if engine.tensor_parallel)
    return max((int(value) for value in values if value and value.isdecimal()), default=1)


def argument_problems(args: Sequence[Any], command: Sequence[Any], image: Any, path: str) -> Iterator[Problem]:
    """Words of a container's ``args`` that the release in its image does not take, if it runs an engine that is known.

    What a shell is to run is not judged. ``path`` is that of the container.
    """
    line = [*command, *args]
    if line and isinstance(line[0], str) and line[0].rpartition("/")[2] in _SHELLS:
        return
    engine = engine_of(image, line)
    release = engine.release_of(image)
    if release is None:
        return
    first = next((place + 1 for place, word in enumerate(args) if _starts(engine, word)), 0)
    for index, message in user_problems(args[first:], engine, release):
        yield Problem(f"{path}.args[{first + index}]", message, "warning", "unknown-flag")
