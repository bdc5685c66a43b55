"""The commands of a script that a container's command line hands to a shell, as far as they can be read."""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

_SHELLS = frozenset(["ash", "bash", "dash", "sh"])
_SCRIPT = re.compile(r"-[a-z]*c")
_SEPARATORS = ";&|()<>"
_DEEPEST = 5
"""How many scripts within each other are read."""


def is_shell(words: Sequence[Any]) -> bool:
    """Whether a command line starts a shell."""
    return bool(words) and isinstance(words[0], str) and words[0].rpartition("/")[2] in _SHELLS


def script_place(words: Sequence[Any]) -> int | None:
    """Where the script stands in a shell's command line (``sh -c SCRIPT``, ``sh -c -- SCRIPT``); None without one."""
    for index, word in enumerate(words[1:-1], start=1):
        if isinstance(word, str) and _SCRIPT.fullmatch(word):
            place = index + 2 if words[index + 1] == "--" else index + 1
            return place if place < len(words) and isinstance(words[place], str) else None
    return None


def split(text: Any) -> list[Any]:
    """The words of a text as a shell reads them; the text itself where it is not well formed, or no text."""
    try:
        return shlex.split(text) if isinstance(text, str) else [text]
    except ValueError:
        return [text]


@lru_cache(maxsize=256)
def commands(script: str) -> tuple[tuple[str, ...], ...]:
    """The words of each simple command; those before the place where a script is not well formed.

    The services of a stack start their servers by the same few scripts.
    """
    return tuple(map(tuple, _commands(script)))


def _commands(script: str, depth: int = 0) -> Iterator[list[str]]:
    lines = script.replace("\\\n", " ").replace("\n", "\n;\n")  # a comment ends with its line
    lexer = shlex.shlex(lines, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace_split = True
    command: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set(_SEPARATORS):
                yield from _run(command, depth)
                command = []
            else:
                command.append(word)
    except ValueError:
        return
    yield from _run(command, depth)


def _run(command: list[str], depth: int) -> Iterator[list[str]]:
    """A command itself, or those of the text that ``eval`` runs."""
    if command[:1] == ["eval"] and depth < _DEEPEST:
        yield from _commands(" ".join(command[1:]), depth + 1)
    else:
        yield command
