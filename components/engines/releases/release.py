"""One release of a program: its flags and metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self


class Fact(NamedTuple):
    """One flag of one release."""

    name: str
    spellings: tuple[str, ...]
    """All of its spellings, the name first."""
    values: str
    """``0``, ``1``, ``2``, ``?`` or ``*``."""
    choices: tuple[str, ...] = ()
    """The values that it takes; empty for any."""
    state: str = ""
    """``deprecated``, or ``gone`` for a flag that is only there to be refused."""

    def takes(self, value: str) -> bool:
        """Whether it takes a value, as far as that is known."""
        return not self.choices or value.lower() in {choice.lower() for choice in self.choices}

    def or_as(self, other: Self) -> Self:
        """What a release between two known ones may take: what either of them does."""
        if self == other or other.state == "gone":
            return self
        if self.state == "gone":
            return other
        choices = tuple(sorted({*self.choices, *other.choices})) if self.choices and other.choices else ()
        values = self.values if self.values == other.values else "?"
        return self._replace(values=values, choices=choices, state=self.state and other.state)


@dataclass(frozen=True)
class Release:
    """What the release of an image parses. Between two known ones it may parse what either does."""

    number: str
    """The known release that the image is taken for."""
    facts: Mapping[str, Fact]
    """Its flags by each of their spellings."""
    metrics: frozenset[str] = frozenset()
    """Names as in its source; none where they are not known."""
    env: frozenset[str] = frozenset()
    """Names of its environment variables, those with its prefix; none where they are not known."""
    plugins: frozenset[str] = frozenset()
    """Types of the plugins that its configuration may declare; none where they are not known."""
    asked: str = ""
    """The image's tag, where it is of no release that is known."""
    is_unknown: bool = False
    """Whether that tag has the number of a release that the tables don't reach: nothing is judged by another one."""
    abbreviates: bool = False
    """Whether the beginning of a flag's name is enough."""

    def fact(self, flag: str) -> Fact | None:
        """What is known of a flag; None where the release has no such flag any more or not yet."""
        known = self.facts.get(flag)
        return None if known is None or known.state == "gone" else known

    @cached_property
    def names(self) -> list[str]:
        """The spellings that there are, for advice."""
        return sorted(name for name, fact in self.facts.items() if not fact.state)
