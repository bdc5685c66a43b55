"""Shared code of all families' conformance tests: reading a case, rendering it like ``render``, departures."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from modelservices.kubernetes.model import read
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

HERE = Path(__file__).parent


def cases(family: str, folder: str = "cases") -> list[Path]:
    """The case folders (or files) of a family, sorted."""
    found = sorted(path for path in (HERE / family / folder).iterdir() if not path.name.startswith("."))
    assert found, f"no cases in {family}/{folder}"
    return found


def load_yaml(path: Path) -> list[Any]:
    """The non-empty documents of a golden file; none if the file is absent."""
    return [doc for doc in yaml.safe_load_all(path.read_text()) if doc] if path.exists() else []


def plan_case(paths: Iterable[Path], settings: dict[str, Any] | None = None) -> StackPlan:
    """The plan of a case's files, with settings as in a stack's config."""
    model, problems = read(Settings, settings or {})
    assert model is not None, problems
    return plan_paths(paths, model, namespace="default")


@dataclass
class Departures:
    """The listed differences of one case."""

    letters: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    refused: bool = False


def departures(family: str, case: str) -> Departures:
    listed = (_table()[family].get("cases") or {}).get(case)
    if listed is None:
        return Departures()
    assert listed.get("reason"), f"{family}/{case}: a departure needs its reason"
    return Departures(listed["letters"], listed.get("differences", []), listed.get("refused", False))


def unexpected(family: str, case: str, differences: Iterable[str]) -> list[str]:
    """Problems of a comparison: differences that no departure lists, and listed differences that are absent."""
    patterns = [re.compile(rule["match"]) for rule in _table()[family].get("everywhere") or []]
    rest = [line for line in differences if not any(pattern.fullmatch(line) for pattern in patterns)]
    listed = departures(family, case).differences
    wrong = [f"not listed: {line}" for line in rest if line not in listed]
    return wrong + [f"listed, but not there: {line}" for line in listed if line not in rest]


def _table() -> dict[str, Any]:
    return yaml.safe_load((HERE / "departures.yaml").read_text())


def rules(family: str, kind: str) -> list[dict[str, str]]:
    """The rules for recorded cases: ``differences`` or ``refused``."""
    return _table()[family]["recorded"][kind]


class Rules:
    """Rules for the lines of a comparison; remembers which rules a line has matched.

    ``match`` has to fit the whole line. What its group ``given`` matches has to be a value of the case's manifests or a
    word of one (9000 in `--port=9000`), and ``input`` has to be found in them, as JSON with sorted keys.
    """

    def __init__(self, listed: Iterable[dict[str, str]]) -> None:
        self._listed = [(re.compile(rule["match"], re.DOTALL), re.compile(rule.get("input", ""))) for rule in listed]
        self._used: set[str] = set()

    def left_over(self, lines: Iterable[str], manifests: Any = None) -> list[str]:
        """The lines that no rule explains. Without manifests only the lines themselves are compared."""
        text, values = json.dumps(manifests, sort_keys=True), [*map(str, _values(manifests))]
        given = {None, *values, *(word for value in values for word in re.split(r"[\s=]", value))}
        applicable = [pattern for pattern, cause in self._listed if manifests is None or cause.search(text)]
        return [line for line in lines if not self._matched(line, applicable, given if manifests is not None else None)]

    def unused(self) -> list[str]:
        return [pattern.pattern for pattern, _ in self._listed if pattern.pattern not in self._used]

    def _matched(self, line: str, applicable: Iterable[re.Pattern[str]], given: Container[str | None] | None) -> bool:
        for pattern in applicable:
            found = pattern.fullmatch(line)
            if found and (given is None or found.groupdict().get("given") in given):
                self._used.add(pattern.pattern)
                return True
        return False


def _values(value: Any) -> Iterator[Any]:
    """The scalars of a document."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _values(item)
    else:
        yield value
