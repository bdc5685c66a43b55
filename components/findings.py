"""What is wrong with a user's input, as data: checks yield problems, which loading turns into findings with a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from .secret_forms import without_secrets

Severity = Literal["error", "warning", "info"]

_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")
"""What makes a CI runner take a line of its log for a command: ``::`` at the start, ``##[`` or ``##vso[``."""


def escaped(text: str) -> str:
    """Text of a manifest as one line that neither a terminal nor a CI runner takes for a command."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return _COMMAND.sub(lambda match: f"{match[0]}\\", text)


_LONGEST = 1000


def brief(text: object, most: int = _LONGEST) -> str:
    """Text from a cluster, a pod or another program as one line of a message: escaped, and shortened if it is long."""
    line = escaped(" ".join(str(text)[: 4 * most].split()))
    return line if len(line) <= most else f"{line[:most]}…"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one object.

    ``path`` is the field's path in the object (``spec.env[0].name``), ``code`` a stable machine-readable name, ``key``
    the label or annotation concerned, if any. ``missing`` is the name of an object that is referred to but missing, or
    ``a <kind>`` if any of that kind would do.
    """

    path: str
    message: str
    severity: Severity = "error"
    code: str = "invalid"
    key: str | None = None
    missing: str = ""


_LONGEST_OF_FINDING = 8000


def _cut(text: str) -> str:
    """Shorten a text, which may quote a lot of a user's input."""
    return text if len(text) <= _LONGEST_OF_FINDING else f"{text[:_LONGEST_OF_FINDING]}…"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and its place. ``object`` is ``Kind namespace/name``, or ``document 2`` without a name.

    ``line`` counts from 1. It is the object's until :func:`modelservices.manifests.lines.located` finds the field's.
    Findings that differ only in their lines are equal.
    """

    file: str
    object: str
    path: str
    message: str
    severity: Severity = "error"
    code: str = "invalid"
    key: str | None = None
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Remove secrets from whatever the finding quotes, because many people read the logs."""
        for name in ("object", "path", "message"):
            object.__setattr__(self, name, without_secrets(_cut(getattr(self, name))))

    @classmethod
    def of(cls, problem: Problem, file: str, object: str, line: int | None = None) -> Finding:
        return cls(file, object, problem.path, problem.message, problem.severity, problem.code, problem.key, line)

    def __str__(self) -> str:
        return escaped(": ".join(part for part in (self.file, self.object, self.path, self.message) if part))


class InvalidManifests(Exception):
    """The input can't be used; nothing was registered. ``findings`` has every error and warning."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        super().__init__()
        self.findings = tuple(findings)

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in errors(self.findings))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


MOST_OF_ONE = 200
"""Limit for the reported problems of one object. The first ones have to be corrected first."""
MOST = 1000
"""Number of errors after which no more objects are checked."""


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """As many problems as are reported, and one more: a generator does not search for the rest."""
    return list(islice(problems, MOST_OF_ONE + 1))


def bounded(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once. An object with more findings than are reported keeps the first ones, errors before others."""
    objects: dict[tuple[str, str, int | None], list[Finding]] = {}
    for finding in dict.fromkeys(findings):
        objects.setdefault((finding.file, finding.object, finding.line), []).append(finding)
    return [finding for of_one in objects.values() for finding in _first(of_one)]


def _first(findings: list[Finding]) -> list[Finding]:
    if len(findings) <= MOST_OF_ONE:
        return findings
    wrong = errors(findings)
    kept = [*wrong, *(finding for finding in findings if finding.severity != "error")][:MOST_OF_ONE]
    message = f"has more problems than these {MOST_OF_ONE}; correct these first"
    severity: Severity = "error" if wrong else "warning"
    return [*kept, replace(findings[0], path="", message=message, severity=severity, code="more-problems", key=None)]
