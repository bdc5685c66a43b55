"""What is wrong with a user's input, as data: a check yields problems, loading turns them into findings with a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from .secret_forms import without_secrets

Severity = Literal["error", "warning", "info"]

_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")
"""What makes a CI runner take a line of its log for a command: ``::`` at the beginning, ``##[`` or ``##vso[``."""


def inert(text: str) -> str:
    """Text of a manifest as one line that neither a terminal nor a CI runner takes for a command."""
    line = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return _COMMAND.sub(lambda found: f"{found[0]}\\", line)


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
    """A problem and where it was found. ``object`` is ``Kind namespace/name``, or ``document 2`` without a name.

    ``line`` counts from 1; it is that of the object until :func:`components.manifests.lines.located` has looked for the
    field. Two findings are the same wherever they stand.
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
        """Findings end in logs that many read: whatever they quote, no secret is among it."""
        for name in ("object", "path", "message"):
            object.__setattr__(self, name, without_secrets(getattr(self, name)))

    @classmethod
    def of(cls, problem: Problem, file: str, object: str, line: int | None = None) -> Finding:
        return cls(file, object, problem.path, problem.message, problem.severity, problem.code, problem.key, line)

    def __str__(self) -> str:
        return inert(": ".join(part for part in (self.file, self.object, self.path, self.message) if part))


class InvalidManifests(Exception):
    """The input can't be used; nothing was registered. ``findings`` has every error (and warning) found."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(f) for f in self.findings if f.severity == "error"))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]
