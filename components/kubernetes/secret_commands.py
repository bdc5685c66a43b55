"""Secrets in command lines: a flag whose name says so, and those that only a program knows (``mysql -p…``)."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from .secret_names import is_filler, is_literal, is_word

_LONG = 20_000
"""From so many characters on a text is split at its blanks only: as a shell would, it takes seconds."""
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_COMMAND_END = re.compile(r"[;&|\n]\s|;$")
_VARIABLE = re.compile(r"[$`]")


class _Option(NamedTuple):
    """A short option of a program that takes a password: ``-pWORD``, with ``apart`` also ``-p WORD``; some have it
    in one of their commands only (``docker login``)."""

    flag: str
    apart: bool = True
    command: str = ""


_LOGIN = _Option("-p", command="login")
_OPTIONS: Mapping[str, _Option] = {
    **dict.fromkeys(["mysql", "mysqladmin", "mysqldump", "mysqlimport"], _Option("-p", apart=False)),
    **dict.fromkeys(["mariadb", "mariadb-admin", "mariadb-dump"], _Option("-p", apart=False)),
    **dict.fromkeys(["mongo", "mongodump", "mongorestore", "mongosh", "sshpass"], _Option("-p")),
    **dict.fromkeys(["ldapadd", "ldapmodify", "ldapsearch"], _Option("-w")),
    **dict.fromkeys(["docker", "buildah", "helm", "nerdctl", "oc", "oras", "podman", "skopeo"], _LOGIN),
    "redis-cli": _Option("-a"),
    "sqlcmd": _Option("-P"),
}
_CLIENTS = frozenset(["curl", "http", "https", "lftp", "wget", "xh"])
"""Programs whose ``-u`` takes a user and a password."""
_PROGRAMS = re.compile(rf"\b(?:{'|'.join(map(re.escape, [*_OPTIONS, *_CLIENTS, 'chpasswd', 'set']))})\b")
_READERS = ("--password-stdin", "--stdin", "chpasswd")
"""What reads a password from the command before it."""


class Command(NamedTuple):
    """The words of one command of a shell. ``piped``: the next one reads what it prints."""

    words: list[str]
    piped: bool


def may_be_command(text: str) -> bool:
    return " --" in text or text.startswith("--") or bool(_PROGRAMS.search(text))


def secret_names_of(text: str) -> Iterator[str]:
    """The names of what holds a secret in a text of commands, and in the commands of a shell in there."""
    found = commands(text)
    yield from _names(found)
    for word in (word for command in found for word in command.words):
        if word != text and any(char.isspace() for char in word):
            yield from _names(commands(word))


def _names(found: Sequence[Command]) -> Iterator[str]:
    for command in found:
        yield from (name for _, name in secret_words(command.words))
    for first, second in pairwise(found):
        if first.piped:
            yield from _printed(first.words, second.words)


def secret_words(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The secrets among the words of one command: the index of each, and the name of what holds it."""
    option: _Option | None = None
    is_client = False
    for index, word in enumerate(words):
        program = word.rpartition("/")[2]
        option = _OPTIONS.get(program, option)
        is_client = is_client or program in _CLIENTS
        following = words[index + 1] if index + 1 < len(words) else ""
        name = _named(word, following) or (option and _of_option(option, word, following, words))
        if name is None and is_client:
            name = _of_client(word, following)
        if name is None and word == "set":
            name = _of_setting(words[index + 1 : index + 3])
        if name:
            yield index, name


def _named(word: str, following: str) -> str | None:
    """A flag or a variable whose name says that it holds a secret."""
    flag, equals, value = word.partition("=")
    if not equals:
        value = following
    if _FLAG.fullmatch(flag) and is_literal(flag.lstrip("-"), value) and not value.startswith("--"):
        return flag
    assigned = _ASSIGNED.fullmatch(word)
    if assigned and not _COMMAND_END.search(word) and is_literal(assigned[1], assigned[2]):
        return assigned[1]
    return None


def _of_option(option: _Option, word: str, following: str, words: Sequence[str]) -> str | None:
    if not word.startswith(option.flag) or (option.command and option.command not in words):
        return None
    value = word[len(option.flag) :] or (following if option.apart else "")
    return option.flag if _is_password(value) else None


def _is_password(value: str) -> bool:
    """Whether a value that stands where a password does is one: no port, no flag, no variable."""
    return not (is_filler(value) or value.isdigit() or value.startswith("-") or _VARIABLE.search(value))


def _of_client(word: str, following: str) -> str | None:
    """``-u user:password`` and ``-b name=value`` of a client of HTTP, with the value in the same word or the next."""
    flag, equals, value = word.partition("=")
    long = flag if flag in ("--user", "--cookie") else ""
    short = word[:2] if not long and word.startswith(("-u", "-b")) and word[1:2] != "-" else ""
    if long:
        value = value if equals else following
    elif short:
        value = word[2:] or following
    separator = {"-u": ":,", "--user": ":", "-b": "=", "--cookie": "="}.get(long or short, "")
    has_password = any(sign in value and _is_password(value.partition(sign)[2]) for sign in separator)
    if has_password and (separator != "=" or is_cookie(value)):
        return long or short
    return None


def is_cookie(value: str) -> bool:
    """Whether what a ``Cookie`` header says has a secret: ``session=9f8a…``, but not ``lang=en``."""
    pairs = (pair.strip().partition("=") for pair in value.split(";"))
    return any(given and not is_word(given) and _is_password(given) for _, _, given in pairs)


def _of_setting(words: Sequence[str]) -> str | None:
    """``aws configure set aws_secret_access_key …``."""
    if len(words) < 2:
        return None
    name = words[0].rpartition(":")[2].lstrip("_")
    return name if is_literal(name, words[1]) and not words[1].startswith("-") else None


def _printed(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    """``echo … | docker login --password-stdin``: what is printed for a command that reads a password."""
    reader = next((word for word in second if word in _READERS), "")
    if not reader or not first or first[0] not in ("echo", "printf"):
        return
    said = [word.rpartition(":")[2] for word in first[1:] if not word.startswith("-") and "%" not in word]
    if any(_is_password(word) for word in said):
        yield reader


def commands(text: str) -> list[Command]:
    """The commands of a shell's text, in order."""
    found: list[Command] = []
    words: list[str] = []
    for raw in _split(text):
        word = raw.strip(";&|()\"'")
        if word:
            words.append(word)
        if raw[-1:] in (";", "&", "|"):
            found.append(Command(words, raw.endswith("|") and not raw.endswith("||")))
            words = []
    return [*found, Command(words, piped=False)]


def _split(text: str) -> list[str]:
    try:
        lines = text.replace("\\\n", " ").replace("\n", " ;\n")
        return shlex.split(lines, comments=False) if len(text) <= _LONG else text.split()
    except ValueError:
        return text.split()
