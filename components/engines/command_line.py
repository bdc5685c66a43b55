"""What a release makes of a command line: flags that it does not know, values that it does not take.

Words that are not texts (a ``pulumi.Input``, a number) are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..kubernetes.args import Argument
from ..kubernetes.spelling import nearest
from .releases import Fact, Release
from .tool import Tool

_ADVISED = 25
"""How many unknown flags get advice: thousands are no typos, and each takes its time."""
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*")


def flag_of(word: Any) -> str:
    """The flag that a word begins with, ``--a_b=1`` as ``--a-b``; empty for a value."""
    match = _FLAG.fullmatch(word.partition("=")[0]) if isinstance(word, str) else None
    if match is None:
        return ""
    return match[0].replace("_", "-") if match[0].startswith("--") else match[0]


def fact_of(release: Release, flag: str, tool: Tool) -> Fact | None:
    """What is known of a flag, spelled as its parser allows: ``--speculative-config.model``, ``-tp``, ``-O3``."""
    if tool.one_dash and not flag.startswith("--"):
        return release.fact(f"-{flag}") or release.fact(flag)
    known = release.fact(flag) or release.fact(flag.partition(".")[0])
    if known or flag.startswith("--"):
        return known or _abbreviated(release, flag)
    return next(
        (release.fact(flag[:length]) for length in range(len(flag), 1, -1) if release.fact(flag[:length])), None
    )


def _abbreviated(release: Release, flag: str) -> Fact | None:
    """The one flag that begins so, for parsers that take the beginning of a name."""
    if not release.abbreviates:
        return None
    found = {fact.name: fact for name, fact in release.facts.items() if name.startswith(flag) and fact.state != "gone"}
    return next(iter(found.values())) if len(found) == 1 else None


def flags_of(words: Sequence[Any], tool: Tool, release: Release) -> Iterator[tuple[int, str, Fact | None]]:
    """Each flag of a command line with its place and what is known of it; values are passed over."""
    skip = 0
    for index, word in enumerate(words):
        flag = flag_of(word)
        if skip > 0 or not flag:
            skip -= 1
            continue
        fact = fact_of(release, flag, tool)
        yield index, flag, fact
        joined = isinstance(word, str) and "=" in word
        skip = int(fact.values) if fact and fact.values.isdecimal() and not joined else 0


def user_problems(words: Sequence[Any], tool: Tool, release: Release) -> Iterator[tuple[int, str]]:
    """Place and message for each word of a user's command line that the release does not take."""
    advised = 0
    for index, flag, fact in flags_of(words, tool, release):
        if fact is None:
            advised += 1
            yield index, f"has {flag}, which {unknown(flag, tool, release, with_advice=advised <= _ADVISED)}"
        elif "=" in words[index] and not tool.dialect.joins:
            yield index, f"must be two items, {flag} and its value: {tool.title} takes no --flag=value"


def generated_problems(argument: Argument, tool: Tool, release: Release) -> Iterator[str]:
    """Why a release can't start with a generated argument: it has no such flag, or takes other values."""
    flag = flag_of(argument.words[0])
    if not flag:
        return
    fact = fact_of(release, flag, tool)
    if fact is None:
        yield f"asks for {flag}, which {unknown(flag, tool, release)}"
        return
    taken = {choice.lower() for choice in fact.choices}
    for value in argument.words[1:]:
        if taken and isinstance(value, str) and value.lower() not in taken:
            near = nearest(value, fact.choices)
            hint = f"did you mean {near}?" if near else f"it takes {', '.join(fact.choices)}"
            yield f"must be a value that {tool.title} {release.number} takes for {flag}, got {value}: {hint}"


def unknown(flag: str, tool: Tool, release: Release, *, with_advice: bool = True) -> str:
    """``vLLM 0.25.1 does not have: …``, with what took the flag's place, else the flag that is spelled nearly so."""
    instead = tool.replaced.get(flag)
    near = nearest(flag, release.names, cutoff=0.75) if with_advice else None
    hint = f": {instead}" if instead else f": did you mean {near}?" if near else ""
    return f"{tool.title} {release.number} does not have{hint}"
