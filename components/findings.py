"""What is wrong with a user's input, as data: a check yields problems, loading turns them into findings with a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one object.

    ``path`` is the field's path in the object (``spec.env[0].name``), ``code`` a stable machine-readable name, ``key``
    the label or annotation concerned, if any.
    """

    path: str
    message: str
    severity: Severity = "error"
    code: str = "invalid"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and where it was found. ``object`` is ``Kind namespace/name``, or ``document 2`` without a name."""

    file: str
    object: str
    path: str
    message: str
    severity: Severity = "error"
    code: str = "invalid"
    key: str | None = None

    @classmethod
    def of(cls, problem: Problem, file: str, object: str) -> Finding:
        return cls(file, object, problem.path, problem.message, problem.severity, problem.code, problem.key)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.object, self.path, self.message) if part)

    def line(self) -> str:
        """The finding as commands print it: an error as it is, anything milder says so."""
        return str(self) if self.severity == "error" else f"{self.severity}: {self}"

    def as_dict(self) -> dict[str, str | None]:
        return {name: asdict(self)[name] for name in ("file", "object", "path", "key", "severity", "code", "message")}


class InvalidManifests(Exception):
    """The input can't be used; nothing was registered. ``findings`` has every error (and warning) found."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(f) for f in self.findings if f.severity == "error"))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]
