"""The releases of a program, read from its table, and which of them an image contains."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self


class Fact(NamedTuple):
    """One flag of one release."""

    name: str
    spellings: tuple[str, ...]
    """All of its spellings, the main name first."""
    values: str
    """How many values it takes: ``0``, ``1``, ``2``, ``?`` or ``*``."""
    choices: tuple[str, ...] = ()
    """The values that it accepts; empty for any."""
    state: str = ""
    """``deprecated``, or ``gone`` for a flag that exists only to be refused."""

    def takes(self, value: str) -> bool:
        """Whether it accepts a value, as far as is known."""
        return not self.choices or value.lower() in {choice.lower() for choice in self.choices}

    def or_as(self, other: Self) -> Self:
        """The flag in a release between two known ones, which may accept what either of them does."""
        if self == other or other.state == "gone":
            return self
        if self.state == "gone":
            return other
        choices = tuple(sorted({*self.choices, *other.choices})) if self.choices and other.choices else ()
        values = self.values if self.values == other.values else "?"
        return self._replace(values=values, choices=choices, state=self.state and other.state)


@dataclass(frozen=True)
class Release:
    """What the release in an image parses. A release between two known ones may parse what either of them does."""

    number: str
    """The known release that stands for the image's."""
    facts: Mapping[str, Fact]
    """Its flags by each of their spellings."""
    metrics: frozenset[str] = frozenset()
    """Names of its metrics, as in its source; empty if they are not known."""
    env: frozenset[str] = frozenset()
    """Names of its environment variables that have its prefix; empty if they are not known."""
    plugins: frozenset[str] = frozenset()
    """Types of the plugins that its configuration may declare; empty if they are not known."""
    asked: str = ""
    """The image's tag, if it is not of a known release."""
    is_unknown: bool = False
    """Whether that tag has a release number outside the tables; then nothing is checked against another release."""
    abbreviates: bool = False
    """Whether a flag's name may be abbreviated."""

    def fact(self, flag: str) -> Fact | None:
        """What is known of a flag; None if the release no longer has it, or not yet."""
        known = self.facts.get(flag)
        return None if known is None or known.state == "gone" else known

    @cached_property
    def names(self) -> list[str]:
        """Spellings of its flags that are neither deprecated nor gone, for advice."""
        return sorted(name for name, fact in self.facts.items() if not fact.state)


_NUMBER = re.compile(r"(?<![0-9.])([0-9]+(?:\.[0-9]+)+(?:\.post[0-9]+)?)")
_BUILD = re.compile(r"(?<![a-z0-9])(b[0-9]+)(?![a-z0-9])")
_ABBREVIATING = frozenset(["vllm", "sglang"])
"""Programs whose parser is Python's argparse."""

Number = tuple[int, ...]


Named = tuple[str, Number, Number]
"""A name, with the first and the last release that has it."""


class Row(NamedTuple):
    fact: Fact
    first: Number
    last: Number


@dataclass(frozen=True, eq=False)
class Program:
    """The releases of one program, the oldest first."""

    name: str
    releases: tuple[str, ...]
    rows: tuple[Row, ...]
    metrics: tuple[Named, ...]
    variables: tuple[Named, ...]
    plugins: tuple[Named, ...]
    series: Mapping[str, Mapping[str, str]]
    """Images with version numbers of a different series: the release by the number in their tags."""

    def release_of(self, image: Any) -> Release:
        """The release in an image: the one with its tag's number, or otherwise the newest."""
        return self._release_of(*_name_and_tag(image))

    @lru_cache(maxsize=64)  # noqa: B019 - there is one of each program
    def _release_of(self, name: str, tag: str) -> Release:
        of_series = self.series.get(name)
        number = _number(tag, tuple(of_series) if of_series else self.releases)
        if of_series and number:
            below = [each for each in of_series if as_number(each) <= as_number(number)]
            beyond = not below or as_number(number) > as_number(list(of_series)[-1])
            number = "" if number in of_series else tag
            return self.release(of_series[(below or list(of_series)[:1])[-1]], asked=number, is_unknown=beyond)
        below = [each for each in self.releases if number and as_number(each) <= as_number(number)]
        above = [each for each in self.releases if number and as_number(each) >= as_number(number)]
        if below and above:
            return self.release(below[-1], above[0])
        return self.release(above[0] if above else self.releases[-1], asked=tag, is_unknown=bool(number))

    def knows(self, image: Any) -> bool:
        """Whether the table has exactly the release that an image names."""
        name, tag = _name_and_tag(image)
        releases = tuple(self.series.get(name, self.releases))
        return _number(tag, releases) in releases

    @lru_cache(maxsize=64)  # noqa: B019 - as above
    def release(self, number: str, or_number: str = "", *, asked: str = "", is_unknown: bool = False) -> Release:
        """A known release, combined with what the release ``or_number`` has."""
        wanted = [as_number(each) for each in (or_number, number) if each]
        facts: dict[str, Fact] = {}
        for fact in (row.fact for one in wanted for row in self.rows if row.first <= one <= row.last):
            for spelling in fact.spellings:
                there = facts.get(spelling)
                facts[spelling] = fact.or_as(there) if there else fact
        metrics, variables, plugins = (_names(each, wanted) for each in (self.metrics, self.variables, self.plugins))
        return Release(
            number,
            facts,
            metrics=frozenset().union(*metrics),
            env=_known_of_all(variables),
            plugins=_known_of_all(plugins),
            asked=asked,
            is_unknown=is_unknown,
            abbreviates=self.name in _ABBREVIATING,
        )


def _names(rows: Sequence[Named], wanted: Sequence[Number]) -> list[frozenset[str]]:
    return [frozenset(name for name, first, last in rows if first <= one <= last) for one in wanted]


def _known_of_all(names: Sequence[frozenset[str]]) -> frozenset[str]:
    """Names in any of the releases; empty if those of one are not known."""
    return frozenset().union(*names) if all(names) else frozenset()


@lru_cache(maxsize=1024)
def as_number(release: str) -> Number:
    """``0.25.1`` becomes (0, 25, 1), ``0.5.15.post1`` becomes (0, 5, 15, 1)."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", release))


def image_number(image: Any) -> Number:
    """The release that an image's tag names, as numbers; empty if it names none."""
    match = _NUMBER.search(_name_and_tag(image)[1])
    return as_number(match[1]) if match else ()


def _name_and_tag(image: Any) -> tuple[str, str]:
    """``vllm-openai`` and ``v0.25.1`` for ``vllm/vllm-openai:v0.25.1``; ``latest`` counts as no tag."""
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":") if isinstance(image, str) else ("", "", "")
    return name, "" if tag == "latest" else tag


def _number(tag: str, releases: Sequence[str]) -> str:
    """The number in a tag that has the form of the releases; empty without one."""
    pattern = _BUILD if releases[-1].startswith("b") else _NUMBER
    parts = {len(as_number(release)) for release in releases}
    return next((match[1] for match in pattern.finditer(tag) if len(as_number(match[1])) in parts), "")


@cache
def program(name: str) -> Program:
    """Reads the table of a program."""
    releases: list[str] = []
    rows: list[Row] = []
    names: dict[str, list[Named]] = {"metric": [], "env": [], "plugin": []}
    series: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_name(f"{name}.tsv").read_text("utf-8").splitlines():
        kind, *cells = line.split("\t")
        if kind == "release":
            releases.append(cells[0])
        elif kind == "flag":
            flag, others, values, choices, state, span = cells
            fact = Fact(flag, (flag, *others.split()), values, tuple(choices.split()), state)
            rows.append(Row(fact, *_span(span)))
        elif kind in names:
            names[kind].append((cells[0], *_span(cells[1])))
        elif kind == "image":
            series.setdefault(cells[0], {})[cells[1]] = cells[2]
    return Program(
        name,
        tuple(releases),
        tuple(rows),
        metrics=tuple(names["metric"]),
        variables=tuple(names["env"]),
        plugins=tuple(names["plugin"]),
        series=series,
    )


def _span(text: str) -> tuple[Number, Number]:
    first, _, last = text.partition("-")
    return as_number(first), as_number(last)
