"""Command lines: generated flags and the user's, each flag once.

A flag that the user sets again is the user's: the generated one is dropped, however it is spelled (``--flag value``,
``--flag=value``, a short alias, the opposite switch). The user's words are never changed or repeated.

Decisions: L10 (docs/decisions).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """One generated flag, with its value unless it is a switch. ``words`` are the list items of the container's args.

    ``field`` is the manifest field that asked for it (none for what is always generated). The argument also goes when
    the user sets one of the flags in ``yields_to``.
    """

    words: tuple[Any, ...]
    field: str = ""
    yields_to: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """How an engine spells flags.

    ``aliases`` has other names of a flag, ``repeatable`` flags that may be there several times, ``joins`` whether
    ``--flag=value`` is one word, ``dotted`` whether ``--flag.part`` sets a part of a flag's value.
    """

    aliases: Mapping[str, str] = {}
    repeatable: frozenset[str] = frozenset()
    joins: bool = True
    dotted: bool = False

    def name(self, word: Any) -> str:
        """The flag that a word sets, by its main name; an empty text for a value."""
        if not isinstance(word, str) or not word.startswith("-"):
            return ""
        name = word.partition("=")[0]
        name = name.partition(".")[0] if self.dotted else name
        name = name.replace("_", "-") if name.startswith("--") else name
        return self.aliases.get(name, name)

    def flags(self, words: Sequence[Any]) -> dict[str, Any]:
        """Each flag of a command line, by its main name, with the value of its last occurrence: what stands behind its
        ``=``, else the next word; None where there is none."""
        values: dict[str, Any] = {}
        for index, word in enumerate(words):
            if name := self.name(word):
                _, equals, value = word.partition("=")
                values[name] = value if equals else next(iter(words[index + 1 : index + 2]), None)
        return values

    def names(self, words: Sequence[Any]) -> frozenset[str]:
        return frozenset(self.flags(words))


class CommandLine(NamedTuple):
    """The words of a container's args, its flags with their values, and each generated argument that gave way, with the
    user's flag that counts, as it is spelled."""

    words: list[Any]
    flags: Mapping[str, Any]
    overridden: tuple[tuple[Argument, str], ...] = ()


def merge(
    generated: Sequence[Argument], user: Sequence[Any], dialect: Dialect, *, trailing: Sequence[Argument] = ()
) -> CommandLine:
    """Generated arguments, then the user's words, then ``trailing`` generated ones, without what the user sets."""
    taken = {name: word.partition("=")[0] for word in user if (name := dialect.name(word))}
    before, after = ([(each, _overriding(each, taken, dialect)) for each in part] for part in (generated, trailing))
    words = [*_words(before), *user, *_words(after)]
    return CommandLine(
        words=words,
        flags=dialect.flags(words),
        overridden=tuple((argument, flag) for argument, flag in (*before, *after) if flag),
    )


def without_flags(words: Sequence[Any], user: Sequence[Any], dialect: Dialect) -> list[Any]:
    """Words without the flags, and their values, that a user's words set too."""
    taken = dialect.names(user) - dialect.repeatable
    left: list[Any] = []
    drops = False
    for word in words:
        if name := dialect.name(word):
            drops = name in taken
        if not drops:
            left.append(word)
    return left


def _words(arguments: Sequence[tuple[Argument, str]]) -> list[Any]:
    """The words of the arguments that no flag of the user overrides."""
    return [word for argument, flag in arguments if not flag for word in argument.words]


def _overriding(argument: Argument, taken: Mapping[str, str], dialect: Dialect) -> str:
    """The user's flag that makes the argument superfluous, as it is spelled, or an empty text; ``taken`` are the
    user's flags by their main names."""
    if not taken:
        return ""
    main_name = dialect.name(argument.words[0])
    flags = [*([] if main_name in dialect.repeatable else [main_name]), *argument.yields_to]
    return next((taken[flag] for flag in flags if flag in taken), "")
