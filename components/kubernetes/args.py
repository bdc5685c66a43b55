"""Merges generated flags with the user's command line, without duplicates.

A flag that the user sets replaces the generated one, however it is spelled (``--flag value``, ``--flag=value``, a short
alias, the opposite switch). The user's words are never changed or repeated.

Decisions: L10 (docs/decisions).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """One generated flag, with its value unless it is a switch.

    ``words`` are its items in the container's args. ``field`` is the manifest field that requests it; empty for a flag
    that is always generated. The argument is also dropped if the user sets one of the flags in ``yields_to``.
    """

    words: tuple[Any, ...]
    field: str = ""
    yields_to: tuple[str, ...] = ()


class Dialect(NamedTuple):
    """How an engine spells flags.

    ``aliases`` maps other names of a flag to its main name. ``repeatable`` has the flags that may occur several times.
    ``joins`` says whether the engine accepts ``--flag=value`` as one word, ``dotted`` whether ``--flag.part`` sets a
    part of a flag's value.
    """

    aliases: Mapping[str, str] = {}
    repeatable: frozenset[str] = frozenset()
    joins: bool = True
    dotted: bool = False

    def name(self, word: Any) -> str:
        """The main name of the flag that a word sets; empty for a value."""
        if not isinstance(word, str) or not word.startswith("-"):
            return ""
        name = word.partition("=")[0]
        name = name.partition(".")[0] if self.dotted else name
        name = name.replace("_", "-") if name.startswith("--") else name
        return self.aliases.get(name, name)

    def flags(self, words: Sequence[Any]) -> dict[str, Any]:
        """Each flag's main name, with the value of its last occurrence: the text after ``=``, or otherwise the next
        word, if any."""
        values: dict[str, Any] = {}
        for index, word in enumerate(words):
            if name := self.name(word):
                _, equals, value = word.partition("=")
                values[name] = value if equals else next(iter(words[index + 1 : index + 2]), None)
        return values

    def names(self, words: Sequence[Any]) -> frozenset[str]:
        return frozenset(self.flags(words))


class CommandLine(NamedTuple):
    """A container's args, their flags with values, and the generated arguments that were dropped. ``overridden`` pairs
    each dropped argument with the user's flag that replaces it, as the user spells it."""

    words: list[Any]
    flags: Mapping[str, Any]
    overridden: tuple[tuple[Argument, str], ...] = ()


def merge(
    generated: Sequence[Argument], user: Sequence[Any], dialect: Dialect, *, trailing: Sequence[Argument] = ()
) -> CommandLine:
    """Generated arguments, the user's words, then ``trailing`` generated arguments, without those that the user
    overrides."""
    taken = {name: word.partition("=")[0] for word in user if (name := dialect.name(word))}
    before, after = ([(each, _overriding(each, taken, dialect)) for each in part] for part in (generated, trailing))
    words = [*_words(before), *user, *_words(after)]
    return CommandLine(
        words=words,
        flags=dialect.flags(words),
        overridden=tuple((argument, flag) for argument, flag in (*before, *after) if flag),
    )


def without_flags(words: Sequence[Any], user: Sequence[Any], dialect: Dialect) -> list[Any]:
    """Words without the flags (and their values) that the user's words also set."""
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
    return [word for argument, flag in arguments if not flag for word in argument.words]


def _overriding(argument: Argument, taken: Mapping[str, str], dialect: Dialect) -> str:
    """The user's flag that overrides the argument, as the user spells it, or an empty string. ``taken`` maps main names
    to the user's flags."""
    if not taken:
        return ""
    main_name = dialect.name(argument.words[0])
    flags = [*([] if main_name in dialect.repeatable else [main_name]), *argument.yields_to]
    return next((taken[flag] for flag in flags if flag in taken), "")
