"""The model and performance keys: as flags if the engine has them, and as variables for any program."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ..engines import known
from ..engines.command_line import generated_problems
from ..engines.engine import Engine, Setting
from ..engines.generic import GENERIC
from ..engines.server import command_words, takes
from ..findings import Problem
from ..kubernetes.args import Argument
from . import keys
from .vocabulary import vocabulary

Effective = Mapping[str, Any]
Container = Mapping[str, Any]

SETTINGS: Mapping[keys.AnnotationKey, tuple[str, Setting | None]] = {
    keys.MODEL_CONTEXT_LENGTH: ("MODEL_CONTEXT_LENGTH", "context-length"),
    keys.MODEL_MAX_TOKENS: ("MODEL_MAX_TOKENS", "max-tokens"),
    keys.MODEL_QUANTIZATION: ("MODEL_QUANTIZATION", None),
    keys.PERFORMANCE_GPU_MEMORY_FRACTION: ("GPU_MEMORY_FRACTION", "gpu-memory-fraction"),
    keys.PERFORMANCE_BATCH_SIZE: ("BATCH_SIZE", "batch-size"),
    keys.PERFORMANCE_MAX_BATCH_DELAY: ("MAX_BATCH_DELAY", None),
}
"""For each key, the variable that carries it, and the setting for which some engines have a flag."""

_QUANTIZATION: Mapping[str, tuple[Setting, str]] = {
    "fp16": ("precision", "float16"),
    "fp8": ("quantization", "fp8"),
    "fbgemm_fp8": ("quantization", "fbgemm_fp8"),
}


def with_flags(container: Container, effective: Effective) -> dict[str, Any]:
    """The container with flags that its command line lacks, if it takes any."""
    form = takes(container)
    words, engine = command_words(container), engine_of(container)
    asked = {} if form == "nothing" else _flags_by_key(container, effective)
    flags = [flag for flag in asked.values() if engine.value_of(words, flag[0]) is None]
    if not flags:
        return dict(container)
    switches = [engine.switches[value] for _, value in flags if value in engine.switches]
    more = [switch for switch in switches if switch not in engine.dialect.names(words)]
    added = [*(word for pair in flags for word in pair), *more]
    added = [shlex.quote(word) if form == "shell text" else word for word in added]
    return {**container, "args": [*container.get("args", []), *added]}


def flag_problems(container: Container, effective: Effective) -> Iterator[Problem]:
    """Reports keys that a command line contradicts, and those that the release or a script does not take."""
    words, engine = command_words(container), engine_of(container)
    value = _QUANTIZATION.get(str(effective.get(keys.MODEL_QUANTIZATION)))
    flag = engine.setting(*value) if value else None
    why = _refusal(container, flag) if flag else ""
    if why:
        message = f"{container['name']} gets only the variable MODEL_QUANTIZATION, because it {why}"
        yield Problem(path_of(keys.MODEL_QUANTIZATION), message, "warning", "no-effect")
    for key, (name, value) in _flags_by_key(container, effective).items():
        stated = engine.value_of(words, name)
        if stated is not None and stated != value:
            yield overridden(key, f"the command line of {container['name']} has {name} {stated}")
        elif stated is None and takes(container) == "nothing":
            message = f"{container['name']} runs a script that takes no arguments, so it gets only the variable"
            yield Problem(path_of(key), f"{message} {SETTINGS[key][0]}", "warning", "no-effect")


def overridden(key: str, why: str) -> Problem:
    return Problem(path_of(key), f"has no effect: {why}", "warning", "overridden")


def path_of(key: str) -> str:
    return f'metadata.{vocabulary().entries[key].place}s["{key}"]'


def _flags_by_key(container: Container, effective: Effective) -> dict[keys.AnnotationKey, tuple[str, str]]:
    engine = engine_of(container)
    flags: dict[keys.AnnotationKey, tuple[str, str]] = {}
    for key, (_, setting) in SETTINGS.items():
        value = str(effective.get(key, ""))
        if key == keys.MODEL_QUANTIZATION:
            setting, value = _QUANTIZATION.get(value, (None, ""))
        flag = engine.setting(setting, value) if setting and value else None
        if flag and not _refusal(container, flag):
            flags[key] = flag
    return flags


def _refusal(container: Container, flag: tuple[str, str]) -> str:
    """Why the release in a container's image does not take a flag; empty if it does."""
    engine = engine_of(container)
    release = engine.release_of(container.get("image"))
    return next(generated_problems(Argument(flag), engine, release), "") if release else ""


def engine_of(container: Container) -> Engine:
    """The engine that a container runs."""
    return known.engine_of(container.get("image"), [*command_words(container), container.get("name")])


def served_name(container: Container) -> str | None:
    """The model's name in requests, by the command line: its flag, otherwise the model itself for engines that use it
    as the name. None if neither is given."""
    words, engine = command_words(container), engine_of(container)
    names = known.served_names(engine, words)
    return names[0] if names else None if engine.any_name or engine is GENERIC else known.model_of(engine, words)
