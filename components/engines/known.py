"""The known engines, and which of them a container runs."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from ..findings import Problem
from ..kubernetes.json_text import from_json as from_json_text
from . import command_line
from .command_line import user_problems
from .command_reader import container_commands, filled_in, is_shell, script_place, split
from .engine import Engine
from .generic import GENERIC
from .llama_cpp import LLAMA_CPP
from .releases import Release
from .sglang import SGLANG
from .tgi import TGI
from .vllm import VLLM

ENGINES = (VLLM, SGLANG, TGI, LLAMA_CPP)

_ASKED = frozenset(["--version", "--help", "-h"])

_BEFORE_MODEL = ("render", "serve")
"""Commands of vLLM that take a model as their first argument."""

GPU_UTILIZATION = "gpu-utilization"

_PREFIX = re.compile(r"([a-z]+)[:_]")


def engine_of(image: Any, words: Sequence[Any] = ()) -> Engine:
    """The engine of a container, by its image's name, or otherwise by the words of its command and its name.

    An unknown one is GENERIC, of which nothing is known.
    """
    by_image = (engine for engine in ENGINES if engine.is_in(image))
    by_word = (engine for word in words for engine in ENGINES if starts(engine, word))
    return next(by_image, None) or next(by_word, GENERIC)


def other_engine(image: Any, engine: Engine) -> Engine | None:
    """The engine in an image, by the image's name, if it is another one than ``engine``."""
    engines = [each for each in ENGINES if each.is_in(image)]
    return engines[0] if engines and engine.title not in [each.title for each in engines] else None


def engine_of_metric(name: str) -> Engine | None:
    """The engine whose name a metric begins with (``vllm:num_requests_running``); any engine's name may end with a
    colon."""
    for engine in ENGINES:
        prefix = _PREFIX.match(engine.metric)
        if prefix and name.startswith((prefix[0], f"{prefix[1]}:")):
            return engine
    return None


def starts(engine: Engine, word: Any) -> bool:
    """Whether a word of a command line (``vllm``, ``/app/llama-server``, ``vllm.entrypoints.…``) starts the engine."""
    name = word.rpartition("/")[2] if isinstance(word, str) else ""
    begun = [program for program in engine.programs if name.startswith(program)]
    return any(name == program or name.startswith(f"{program}.") for program in begun)


def model_of(engine: Engine, words: Sequence[Any]) -> str | None:
    """The model that a command line serves: a path or a repository; None if it names none."""
    flags = engine.dialect.flags(words)
    for flag in (engine.model_flag, "--model", "--model-path"):
        if flags.get(flag) not in (None, ""):
            return str(flags[flag])
    after = next((str(word) for before, word in pairwise(words) if before in _BEFORE_MODEL), "-")
    return None if after.startswith("-") else after


def served_names(engine: Engine, words: Sequence[Any]) -> list[str]:
    """Names by which requests may call the model, from the last such flag of a command line."""
    name = engine.name_flag or "--served-model-name"
    places = [index for index, word in enumerate(words) if engine.dialect.name(word) == name]
    if not places:
        return []
    _, equals, value = str(words[places[-1]]).partition("=")
    after = map(str, words[places[-1] + 1 :])
    return [value] if equals else list(takewhile(lambda one: not one.startswith("-"), after))


def query(load: str, engine: Engine, selector: str) -> str:
    """PromQL for a load of an engine's pods, or for their GPUs; empty if the engine does not have it."""
    return f"avg(DCGM_FI_DEV_GPU_UTIL{selector})" if load == GPU_UTILIZATION else engine.query(load, selector)


def argument_problems(
    args: Sequence[Any], command: Sequence[Any], image: Any, path: str, env: Any = None, *, as_text: bool = False
) -> Iterator[Problem]:
    """Words of a container's command line that the release in its image does not accept, if it runs a known engine.

    In a shell script, each command that starts the engine is checked. ``path`` is the container's, ``env`` are its
    variables. ``as_text`` says that a start script reads the items of ``args`` as shell text, which may have quotes and
    several words.
    """
    words_of_args = [
        (word, f"{path}.args[{index}]")
        for index, item in enumerate(filled_in(args, env))
        for word in (_words(item, env) if as_text else [item])
    ]
    for index, item in enumerate(args if as_text else ()):
        if _is_bare_json(item):
            message = (
                "goes through a shell, which strips quotes and braces from the JSON; put the JSON in single quotes"
            )
            yield Problem(f"{path}.args[{index}]", message, "warning", "unknown-value")
    line = [*filled_in(command, env), *(word for word, _ in words_of_args)]
    paths = [*(f"{path}.command[{i}]" for i in range(len(command))), *(place for _, place in words_of_args)]
    if not is_shell(line):
        yield from _line_problems(line, paths, image)
        return
    place = script_place(line)
    if place is None:
        return
    for words in engine_commands(container_commands({"command": command, "args": args, "env": env})):
        yield from _line_problems(words, [paths[place]] * len(words), image)


def _words(item: Any, env: Any) -> list[Any]:
    """The words that a shell makes of an argument. JSON, and texts that are not arguments, stay whole."""
    is_argument = isinstance(item, str) and item.lstrip().startswith(("-", "'", '"'))
    return split(item, env) if is_argument and not _is_bare_json(item) else [item]


def _is_bare_json(item: Any) -> bool:
    """Whether an argument is JSON, or a flag with JSON, without quotes that protect it from a shell."""
    if not isinstance(item, str):
        return False
    text = item if item.startswith("{") else item.partition("=")[2]
    try:
        return text.startswith("{") and isinstance(from_json_text(text), dict)
    except ValueError:
        return False


def engine_commands(commands: Iterable[list[Any]]) -> list[list[Any]]:
    """The commands of a shell script that start an engine, and don't only ask for its version or help."""
    starting = (words for words in commands if any(starts(engine, word) for word in words for engine in ENGINES))
    return [words for words in starting if _ASKED.isdisjoint(map(str, words))]


def variable_problems(
    container: Mapping[str, Any], path: str, *, read_by_script: Collection[str] = ()
) -> Iterator[Problem]:
    """Environment variables of a container that neither the release in its image nor its script reads.

    ``path`` is the container's; ``read_by_script`` is what a start script reads without the command showing it.
    """
    words = [*container.get("command", []), *container.get("args", [])]
    engine = engine_of(container.get("image"), words)
    release = engine.release_of(container.get("image"))
    names = [str(variable.get("name")) for variable in container.get("env", [])]
    text = " ".join(word for word in words if isinstance(word, str))
    names = [name for name in names if name not in read_by_script and name not in text]
    for message in command_line.variable_problems(names, engine, release) if release else ():
        yield Problem(f"{path}.env", message, "warning", "unknown-variable")


def unknown_release(engine: Engine, release: Release) -> str:
    """The message about an image's tag that is not of a known release."""
    judged = "the arguments are not checked" if release.is_unknown else f"flags are those of {release.number}"
    return f"has tag {release.asked}, which is no release of {engine.title} that is known here: {judged}"


def _line_problems(words: Sequence[Any], paths: Sequence[str], image: Any) -> Iterator[Problem]:
    engine = engine_of(image, words)
    release = engine.release_of(image)
    if release is None or not words:
        return
    if release.is_unknown:
        container = paths[0].rpartition(".")[0]
        yield Problem(f"{container}.image", unknown_release(engine, release), "info", "unknown-release")
    first = next((place + 1 for place, word in enumerate(words) if starts(engine, word)), 0)
    for index, message, code in user_problems(words[first:], engine, release):
        yield Problem(paths[first + index], message, "warning", code)
