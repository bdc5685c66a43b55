"""Wrong programs in typed languages: copies of a correct one with one mistake each, compiled together."""

import re
from collections import defaultdict
from collections.abc import Sequence

Mistake = tuple[str, str, str]
"""The correct text, the wrong text, and the compiler's message about it."""


def wrong_programs(right: str, mistakes: Sequence[Mistake]) -> dict[str, str]:
    """The programs by name; the name is for the file or folder."""
    assert [text for text, _, _ in mistakes if right.count(text) != 1] == []
    return {f"mistake{number}": right.replace(*mistake[:2]) for number, mistake in enumerate(mistakes)}


def assert_each_is_refused(said: str, mistakes: Sequence[Mistake]) -> None:
    """The compiler reports each wrong program with its message, and no correct program that was compiled with them."""
    messages: defaultdict[str, str] = defaultdict(str)
    program = ""
    for line in said.splitlines():
        if place := re.match(r"\S+\.(ts|go|java)[:(]", line):  # otherwise the line continues a message
            named = re.search(r"mistake\d+", place[0])
            program = named[0] if named else place[0]
        messages[program] += f"{line}\n"
    found = {f"mistake{number}": message for number, (_, _, message) in enumerate(mistakes)}
    assert {name for name in messages if name} == set(found), said
    assert [name for name, message in found.items() if message not in messages[name]] == [], said
