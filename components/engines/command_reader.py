"""The only reader of command lines: what a container runs, as Kubernetes and then the shell in its command read it.

Kubernetes expands ``$(NAME)`` from the container's variables. A shell (``sh -c SCRIPT -- ARGS``) reads its script:
quotes, comments, line continuations, redirections, here-documents, variables, ``"$@"``, arrays, ``eval`` and nested
shells. Nothing is run: what only the pod knows (``$(hostname)``, ``$UNKNOWN``) stays in a word as it is written.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal

from ..kubernetes.env import with_variables
from ..kubernetes.values import mappings

Value = str | tuple[str, ...] | None
"""Value of a shell variable: a tuple for an array, None if only the pod knows it."""

_SHELLS = frozenset(["ash", "bash", "dash", "ksh", "sh", "zsh"])
_SCRIPT = re.compile(r"-[a-z]*c")
_UNKNOWN = "$(...)"
"""Placeholder for a word that only Pulumi's engine knows (an Output): a reference that is never expanded."""
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_MOST_EXPANDED = 1 << 16
_DEEPEST = 5
"""Maximum depth of nested scripts that are read."""
_OPENING = frozenset(["case", "for", "if", "until", "while", "{"])
_CLOSING = frozenset(["done", "esac", "fi", "}"])
_BEFORE_COMMAND = frozenset(["!", "command", "do", "elif", "else", "exec", "export", "then", "time", "{"])

_TOKEN = re.compile(
    r"""(?P<continued>\\\n)
    |(?P<blank>[ \t\r]+)
    |(?P<document><<-?(?!<)[ \t]*(?P<mark>'[^'\n]*'|"[^"\n]*"|[^\s;&|<>()'"]+))
    |(?P<redirection>&>>?|[<>]&(?:\d|-)?|<<<|>>|<>|>\||[<>])
    |(?P<separator>\n|;;|&&|\|\||[;&|()])
    |(?P<single>\$?'(?P<quoted>[^']*)')
    |(?P<escaped>\\.)
    |(?P<plain>[^\s;&|()<>'"`$\\]+)""",
    re.VERBOSE | re.DOTALL,
)
_IN_QUOTES = re.compile(r'\\(?P<escaped>["$`\\])|(?P<continued>\\\n)|(?P<plain>[^"$`\\]+|\\)')
_EXPANSION = re.compile(
    r"""\$(?:(?P<name>[A-Za-z_]\w*|[0-9@*])
    |\{(?P<braced>[A-Za-z_]\w*|[0-9@*])(?:\[[@*]\])?(?:(?P<sign>:?[-=+])(?P<other>[^{}]*))?\})""",
    re.VERBOSE,
)
_BRACKETS = {"(": ")", "{": "}"}


class _Unfinished(Exception):
    """A quote or a bracket that is never closed."""


def is_shell(words: Sequence[Any]) -> bool:
    """Whether a command line starts a shell."""
    return bool(words) and isinstance(words[0], str) and words[0].rpartition("/")[2] in _SHELLS


def script_place(words: Sequence[Any]) -> int | None:
    """Index of the script in a shell's command line (``sh -c SCRIPT``, ``sh -c -- SCRIPT``); None without one."""
    for index, word in enumerate(words[1:-1], start=1):
        if isinstance(word, str) and _SCRIPT.fullmatch(word):
            place = index + 2 if words[index + 1] == "--" else index + 1
            return place if place < len(words) and isinstance(words[place], str) else None
    return None


def script_of(container: Mapping[str, Any]) -> str:
    """The script that a shell runs (``sh -c …``); empty if the program starts without a shell."""
    words = _command_line(container)
    place = script_place(words) if is_shell(words) else None
    return "" if place is None else words[place]


def literals(env: Any) -> dict[str, str]:
    """The variables of a container that have literal values, each expanded with those before it."""
    values: dict[str, str] = {}
    for entry in mappings(env):
        if isinstance(entry.get("value"), str):
            values[str(entry.get("name"))] = expanded(entry["value"], values)
    return values


def expanded(text: Any, values: Mapping[str, str]) -> Any:
    """A word with ``$(NAME)`` expanded as Kubernetes does; ``$$`` becomes a dollar sign."""
    if not isinstance(text, str) or "$" not in text:
        return text
    return with_variables(text, _REFERENCE, lambda match: "$" if match[0] == "$$" else values.get(match[1], match[0]))


def filled_in(words: Sequence[Any], env: Any) -> list[Any]:
    """Words of a container with its variables, as Kubernetes expands them."""
    values = literals(env)
    return [expanded(word, values) for word in words]


def container_commands(container: Mapping[str, Any]) -> list[list[Any]]:
    """The words of each command that a container runs; one command, unless it starts a shell with a script."""
    line = filled_in(_command_line(container), container.get("env"))
    place = script_place(line) if is_shell(line) else None
    if place is None:
        return [line]
    variables = tuple(_variables(container.get("env")).items())
    arguments = tuple(word if isinstance(word, str) else _UNKNOWN for word in line[place + 1 :])
    return [list(words) for words in _read(line[place], variables, arguments)]


def commands(script: str) -> list[list[str]]:
    """The words of each simple command of a script with unknown variables."""
    return [list(words) for words in _read(script, (), None)]


def split(text: Any, env: Any = None) -> list[Any]:
    """The words of a text as a shell with some variables reads them; the value itself if it is malformed or not a
    text."""
    try:
        return [*_Script(text, _variables(env)).words("text")[0]] if isinstance(text, str) else [text]
    except _Unfinished:
        return [text]


def _variables(env: Any) -> dict[str, Value]:
    """A container's variables as a shell has them: of some, only the pod knows the values."""
    values = literals(env)
    return {name: values.get(name) for name in (str(each.get("name")) for each in mappings(env))}


def _command_line(container: Mapping[str, Any]) -> list[Any]:
    return [*(container.get("command") or []), *(container.get("args") or [])]


@lru_cache(maxsize=1024)
def _read(
    script: str, variables: tuple[tuple[str, str | None], ...], arguments: tuple[str, ...] | None
) -> tuple[tuple[str, ...], ...]:
    """The commands of a script, up to the first malformed place. Cached, because a container is read several times, and
    the services of a stack start with the same few scripts."""
    complete: list[tuple[str, ...]] = []
    values: dict[str, Value] = dict(variables)
    with suppress(_Unfinished):
        for command in _Script(
            script, values | _positional(arguments or ()) if arguments is not None else values
        ).commands():
            complete.append(tuple(command))
    return tuple(complete)


class _Words:
    """The words of a command that have been read so far; ``word`` is the unfinished one, if any."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.word: str | None = None
        self.is_target = False
        """Whether the next word is a redirection's file."""

    def add(self, text: str) -> None:
        self.word = (self.word or "") + text

    def close(self) -> None:
        if self.word is not None and not self.is_target:
            self.done.append(self.word)
        if self.word is not None:
            self.word, self.is_target = None, False

    def add_each(self, texts: Sequence[str]) -> None:
        """Adds texts, of which each but the first begins a new word."""
        for index, text in enumerate(texts):
            if index:
                self.close()
            self.add(text)

    def add_split(self, text: str) -> None:
        """Adds the value of an unquoted expansion: split at blanks, except in an assignment."""
        if not self.done and _ASSIGNED.fullmatch(self.word or ""):
            self.add(text)
            return
        if text[:1].isspace():
            self.close()
        self.add_each(text.split())
        if text[-1:].isspace():
            self.close()


class _Script:
    """One script as a shell reads it; ``values`` are its variables, which assignments change."""

    def __init__(self, text: str, values: dict[str, Value], depth: int = 0, left: list[int] | None = None) -> None:
        self.text, self.values, self.depth = text, values, depth
        self.left = left or [_MOST_EXPANDED]
        """Characters that variables may still add to this script and nested ones; further variables are not expanded. A
        long value may be referenced a thousand times."""
        self.at = 0
        self.marks: list[str] = []
        """End marks of the here-documents that begin after this line."""
        self.is_known = True
        """Whether the command runs in any case: it is not in an ``if`` or a loop, nor after ``&&`` or ``||``."""

    def commands(self) -> Iterator[list[str]]:
        """The words of each simple command. Raises _Unfinished."""
        inside, separator = 0, ""
        while self.at < len(self.text):
            self.is_known = not inside and separator not in ("&&", "||")
            words, separator = self.words("command")
            first = words[0] if words else ""
            inside += (first in _OPENING) - (first in _CLOSING)
            yield from self._run(words)

    def _run(self, words: list[str]) -> Iterator[list[str]]:
        """Yields the command itself, or the commands of the script that ``eval`` or a shell runs."""
        while words and (words[0] in _BEFORE_COMMAND or _ASSIGNED.fullmatch(words[0])):
            assigned = _ASSIGNED.fullmatch(words.pop(0))
            if assigned:
                self._assign(assigned[1], assigned[3], adds=bool(assigned[2]))
        if words[:1] == ["eval"] and self.depth < _DEEPEST:
            yield from _Script(" ".join(words[1:]), self.values, self.depth + 1, self.left).commands()
        elif is_shell(words) and self.depth < _DEEPEST and (place := script_place(words)) is not None:
            values = {**self.values, **_positional(words[place + 1 :])}
            yield from _Script(words[place], values, self.depth + 1, self.left).commands()
        elif words:
            yield words

    def _assign(self, name: str, value: str | tuple[str, ...], *, adds: bool) -> None:
        texts = (value,) if isinstance(value, str) else value
        is_known = self.is_known and not adds and not any("$" in text or "`" in text for text in texts)
        self.values[name] = value if is_known else None

    def words(self, kind: Literal["command", "array", "text"]) -> tuple[list[str], str]:
        """The words up to the end of a command, an array (``)``) or the whole text, and the separator there."""
        words = _Words()
        while self.at < len(self.text):
            if self.text[self.at] == "#" and words.word is None and kind != "text":
                self.at = _find(self.text, "\n", self.at)
                continue
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                self._quotes_or_expansion(words)
                continue
            self.at = match.end()
            if match["separator"] and self._ends(match[0], kind, words):
                words.close()
                return words.done, match[0]
            if not match["separator"]:
                self._add(match, kind, words)
        if kind == "array":
            raise _Unfinished
        words.close()
        return words.done, ""

    def _ends(self, separator: str, kind: str, words: _Words) -> bool:
        """Whether a separator ends the words; otherwise it is handled here."""
        assigned = _ASSIGNED.fullmatch(words.word or "") if separator == "(" and kind == "command" else None
        if assigned and not assigned[3]:
            self._assign(assigned[1], tuple(self.words("array")[0]), adds=bool(assigned[2]))
            words.word = None
            return False
        if kind == "command":
            if separator == "\n":
                self._skip_documents()
            return True
        if separator == "\n":
            words.close()
        elif kind == "text":
            words.add(separator)
        return kind == "array" and separator == ")"

    def _skip_documents(self) -> None:
        for mark in self.marks:
            end = re.compile(rf"^\t*{re.escape(mark)}$", re.MULTILINE).search(self.text, self.at)
            self.at = end.end() if end else len(self.text)
        self.marks = []

    def _add(self, match: re.Match[str], kind: str, words: _Words) -> None:
        """Adds a token other than a separator, double quotes or an expansion."""
        if match["blank"]:
            words.close()
        elif match["single"]:
            words.add(match["quoted"])
        elif match["escaped"]:
            words.add(match[0][1])
        elif match["plain"] or (kind == "text" and not match["continued"]):
            words.add(match[0])
        elif match["document"]:
            words.close()
            self.marks.append(match["mark"].strip("'\""))
        elif match["redirection"]:
            if (words.word or "").isdecimal():
                words.word = None
            words.close()
            words.is_target = match[0][-1] not in "0123456789-"

    def _quotes_or_expansion(self, words: _Words) -> None:
        char = self.text[self.at]
        if char == '"':
            self.at += 1
            words.add("")
            self._quoted(words)
        elif char in "\\'":  # at the end of the text, or never closed
            raise _Unfinished
        else:
            self._expand(words, quoted=False)

    def _quoted(self, words: _Words) -> None:
        while self.text[self.at : self.at + 1] != '"':
            if self.at >= len(self.text):
                raise _Unfinished
            match = _IN_QUOTES.match(self.text, self.at)
            if match is None:
                self._expand(words, quoted=True)
                continue
            self.at = match.end()
            words.add(match["escaped"] or match["plain"] or "")
        self.at += 1

    def _expand(self, words: _Words, *, quoted: bool) -> None:
        """Adds a variable's value, or the expansion as it is written if it is not known."""
        match = _EXPANSION.match(self.text, self.at)
        if match is None:
            end = _end_of_substitution(self.text, self.at)
            words.add(self.text[self.at : end])
            self.at = end
            return
        self.at = match.end()
        name = match["name"] or match["braced"]
        value = self._value("@" if name == "*" else name, match["sign"] or "", match["other"] or "")
        size = len(value) if isinstance(value, str) else sum(map(len, value or ()))
        if value is None or size > self.left[0]:
            words.add(match[0])
            return
        self.left[0] -= size
        if not quoted:
            words.add_split(value if isinstance(value, str) else " ".join(value))
        elif isinstance(value, str) or name == "*":
            words.add(value if isinstance(value, str) else " ".join(value))
        else:
            words.word = words.word if value or words.word else None
            words.add_each(value)

    def _value(self, name: str, sign: str, other: str) -> Value:
        """The value of ``${NAME}`` or ``${NAME:-other}``; None if it is not known."""
        value = self.values.get(name)
        if name in self.values and value is None:
            return None
        is_set = bool(value) if sign.startswith(":") else value is not None
        if sign.endswith("+"):
            return other if is_set else ""
        if sign and not is_set:
            return None if "$" in other else other
        return value


def _positional(arguments: Sequence[str]) -> dict[str, Value]:
    """``$0``, ``$1`` … and ``$@``."""
    return {**{str(index): word for index, word in enumerate(arguments[:10])}, "@": tuple(arguments[1:])}


def _find(text: str, what: str, start: int) -> int:
    index = text.find(what, start)
    return len(text) if index < 0 else index


def _end_of_substitution(text: str, start: int) -> int:
    """Where ``$(…)``, ``${…}`` or a text in backticks ends; a lone dollar sign is plain text."""
    if text[start] == "`":
        end = text.find("`", start + 1)
        if end < 0:
            raise _Unfinished
        return end + 1
    opening = text[start + 1 : start + 2]
    closing = _BRACKETS.get(opening, "")
    if not closing:
        return start + 1
    depth = 0
    for match in re.compile(rf"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|[{opening}{closing}]""", re.DOTALL).finditer(
        text, start
    ):
        depth += (match[0] == opening) - (match[0] == closing)
        if depth == 0 and match[0] == closing:
            return match.end()
    raise _Unfinished
