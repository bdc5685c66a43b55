"""Checks a command line against a release: flags that it does not know, values that it does not accept.

Words that are not texts (a ``pulumi.Input``, a number) are skipped.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..kubernetes.args import Argument
from ..kubernetes.json_text import from_json as from_json_text
from ..kubernetes.scalars import describe
from ..kubernetes.spelling import nearest
from .bounds import Bounds
from .releases import Fact, Release
from .tool import Tool

_ADVISED = 25
"""Number of unknown flags that get advice: finding a similar name is slow, and thousands are no typos."""
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*")
_MEANT = re.compile(r"""\s*(["']?)(--?|[\u2010-\u2015\u2212]+)([A-Za-z][A-Za-z0-9_.-]*)(\s)?""")
"""An item that was meant as a flag: in shell quotes, with a typographic dash, or together with its value."""
_QUOTED = re.compile(r"""(["']).*\1""", re.DOTALL)


class Said(NamedTuple):
    """A message about the word at ``index`` of a command line; ``code`` is the finding's code."""

    index: int
    message: str
    code: str


def flag_of(word: Any) -> str:
    """The flag that a word begins with, such as ``--a-b`` for ``--a_b=1``; empty for a value."""
    match = _FLAG.fullmatch(word.partition("=")[0]) if isinstance(word, str) else None
    if match is None:
        return ""
    return match[0].replace("_", "-") if match[0].startswith("--") else match[0]


def _meant(word: Any) -> str:
    """The flag that an item was meant as; empty for a value or any other word."""
    match = _MEANT.match(word) if isinstance(word, str) else None
    if match is None or not (match[1] or match[4] or word[0].isspace() or not match[2].startswith("-")):
        return ""
    return f"{match[2] if match[2].startswith('-') else '--'}{match[3]}"


def _fault(word: str, flag: str) -> str:
    text = word.strip()
    if text[0] in "\"'":
        return f"has quotes inside the item, and no shell strips them; write {flag} without quotes"
    if text[0] != "-":
        return f"begins with a typographic dash, which does not start a flag; write {flag}"
    if not text[len(flag) :].strip():
        return f"has blanks around it, so the program does not recognize the flag; write {flag}"
    return f"must be two items, {flag} and its value; the program reads a single item as one long flag name"


def fact_of(release: Release, flag: str, tool: Tool) -> Fact | None:
    """What is known of a flag, in any spelling that parses: ``--speculative-config.model``, ``-tp``, ``-O3``."""
    if tool.one_dash and not flag.startswith("--"):
        return release.fact(f"-{flag}") or release.fact(flag)
    known = release.fact(flag) or release.fact(flag.partition(".")[0])
    if known or flag.startswith("--") or not tool.dialect.joins:
        return known or _abbreviated(release, flag)
    beginnings = (flag[:length] for length in range(len(flag), 1, -1))
    facts = (release.fact(name) or release.fact(tool.dialect.aliases.get(name, "")) for name in beginnings)
    return next(filter(None, facts), None)


def _abbreviated(release: Release, flag: str) -> Fact | None:
    """The only flag that begins with this text, for parsers that accept abbreviated names."""
    if not release.abbreviates:
        return None
    facts = {fact.name: fact for name, fact in release.facts.items() if name.startswith(flag) and fact.state != "gone"}
    return next(iter(facts.values())) if len(facts) == 1 else None


def flags_of(words: Sequence[Any], tool: Tool, release: Release) -> Iterator[tuple[int, str, Fact | None]]:
    """Each flag of a command line, with its index and what is known of it; values are skipped."""
    skip = 0
    for index, word in enumerate(words):
        flag = flag_of(word) or _meant(word)
        if skip > 0 or not flag:
            skip -= 1
            continue
        fact = fact_of(release, flag, tool)
        yield index, flag, fact
        whole = isinstance(word, str) and ("=" in word or not flag_of(word) or _is_joined(flag, fact, tool))
        skip = int(fact.values) if fact and fact.values.isdecimal() and not whole else 0


def positionals(words: Sequence[Any], tool: Tool, release: Release) -> list[Any]:
    """Words that are neither flags nor their values. After a flag of which it is not known how many values it takes,
    words count as its values up to the next flag."""
    flags = {index: fact for index, _, fact in flags_of(words, tool, release)}
    left: list[Any] = []
    values = 0.0
    for index, word in enumerate(words):
        if index in flags:
            fact = flags[index]
            known = fact is not None and fact.values.isdecimal()
            values = 0 if isinstance(word, str) and "=" in word else int(fact.values) if fact and known else math.inf
        elif values > 0:
            values -= 1
        else:
            left.append(word)
    return left


def _is_joined(flag: str, fact: Fact | None, tool: Tool) -> bool:
    """Whether a short flag is joined with its value, as in ``-tp4``."""
    short = not flag.startswith("--") and not tool.one_dash
    return short and fact is not None and flag not in fact.spellings and flag not in tool.dialect.aliases


def user_problems(words: Sequence[Any], tool: Tool, release: Release) -> Iterator[Said]:
    """Problems of the words in a user's command line that the release does not accept."""
    advised = 0
    if release.is_unknown:
        return
    for index, flag, fact in flags_of(words, tool, release):
        if not flag_of(words[index]):
            yield Said(index, _fault(words[index], flag), "unknown-flag")
        elif fact is None:
            advised += 1
            message = f"has {flag}, which {unknown(flag, tool, release, with_advice=advised <= _ADVISED)}"
            yield Said(index, message, "unknown-flag")
        elif "=" in words[index] and not tool.dialect.joins:
            message = f"must be two items, {flag} and its value, because {tool.title} does not accept --flag=value"
            yield Said(index, message, "unknown-flag")
        else:
            yield from (
                Said(index, message, "unknown-value") for message in _value_problems(words, index, fact, tool, release)
            )


def _value_problems(words: Sequence[Any], index: int, fact: Fact, tool: Tool, release: Release) -> Iterator[str]:
    """What is wrong with the value of the flag at ``index``, as far as the release's table tells."""
    flag, equals, joined = words[index].partition("=")
    if fact.values == "0" and equals and not tool.one_dash:
        yield f"gives {flag} a value, but {flag} of {tool.title} {release.number} takes no value; remove the value"
    if fact.values == "0" and tool.one_dash and words[index + 1 : index + 2] in (["false"], ["true"]):
        value = words[index + 1]
        yield f"has {flag} and {value} as two items, but {tool.title} reads only the first; write {flag}={value}"
    if fact.values != "1" or "." in flag or _is_joined(flag_of(flag), fact, tool):
        return
    value = joined if equals else words[index + 1] if index + 1 < len(words) else None
    if value is None or (not equals and _is_next_flag(value, tool, release)):
        yield f"has {flag} without the value that it needs; add the value"
    elif isinstance(value, str) and _QUOTED.fullmatch(value):
        yield f"gives {flag} a value in quotes, and no shell strips them; leave the quotes out"
    elif isinstance(value, str) and not _is_filled_in(value):
        yield from _refused(flag, value, fact, tool, release)


def _is_next_flag(word: Any, tool: Tool, release: Release) -> bool:
    """Whether a word in place of a value is a flag, which Python's parsers don't accept as a value."""
    flag = flag_of(word)
    return release.abbreviates and flag.startswith("--") and fact_of(release, flag, tool) is not None


def _is_filled_in(value: str) -> bool:
    """Whether a value is known only in the pod: ``$(NAME)``, a shell variable, a template."""
    return "$" in value or "{{" in value


def _refused(flag: str, value: str, fact: Fact, tool: Tool, release: Release) -> Iterator[str]:
    refused = next((one for one in (value.split(",") if tool.lists else [value]) if not fact.takes(one)), None)
    bounds = _bounds(fact, tool)
    if bounds and not bounds.takes(value, tool.suffixes):
        yield f"gives {flag} {describe(value)}, but {tool.title} {release.number} expects {bounds}"
    elif refused is not None:
        does = f"a value that {tool.title} {release.number} does not take"
        yield f"gives {flag} {does}, {describe(refused)}; {_instead(refused, fact)}"
    elif value.startswith("{") and not tool.one_dash and not _is_json(value):
        yield f"gives {flag} a value that begins like JSON but does not parse; correct the JSON"


def _bounds(fact: Fact, tool: Tool) -> Bounds | None:
    return tool.bounds.get(tool.dialect.aliases.get(fact.name, fact.name))


def _instead(value: str, fact: Fact) -> str:
    if all(map(str.isdecimal, fact.choices)):
        return f"it takes {', '.join(sorted(fact.choices, key=int))}"
    near = nearest(value, fact.choices)
    return f"did you mean {near}?" if near else f"it takes {', '.join(fact.choices)}"


def _is_json(text: str) -> bool:
    try:
        from_json_text(text)
    except ValueError:
        return False
    return True


def variable_problems(names: Iterable[Any], tool: Tool, release: Release) -> Iterator[str]:
    """A message for each environment variable that has the tool's prefix but that the release never reads."""
    for name in names:
        concerns_tool = isinstance(name, str) and tool.env_prefix and name.startswith(tool.env_prefix)
        if (
            not concerns_tool
            or release.is_unknown
            or not release.env
            or {name, name.replace("_NO_", "_", 1)} & release.env
        ):
            continue
        near = nearest(name, release.env, cutoff=0.75)
        hint = f": did you mean {near}?" if near else ""
        yield f"has {name}, which {tool.title} {release.number} does not read{hint}"


def generated_problems(argument: Argument, tool: Tool, release: Release) -> Iterator[str]:
    """Why a release can't start with a generated argument: it doesn't have the flag, or doesn't accept the value."""
    flag = flag_of(argument.words[0])
    if not flag or release.is_unknown:
        return
    fact = fact_of(release, flag, tool)
    if fact is None:
        yield f"asks for {flag}, which {unknown(flag, tool, release)}"
        return
    bounds = _bounds(fact, tool)
    for value in argument.words[1:]:
        if isinstance(value, str) and bounds and not bounds.takes(value, tool.suffixes):
            yield f"must be {bounds}, for {flag} of {tool.title} {release.number}, got {value}"
        elif isinstance(value, str) and not fact.takes(value):
            taken = f"a value that {tool.title} {release.number} takes for {flag}"
            yield f"must be {taken}, got {value}; {_instead(value, fact)}"


def unknown(flag: str, tool: Tool, release: Release, *, with_advice: bool = True) -> str:
    """``vLLM 0.25.1 does not have: …``, with the flag's replacement, or otherwise the most similar flag."""
    instead = tool.replaced.get(flag)
    near = nearest(flag, release.names, cutoff=0.75) if with_advice else None
    hint = f": {instead}" if instead else f": did you mean {near}?" if near else ""
    return f"{tool.title} {release.number} does not have{hint}"
