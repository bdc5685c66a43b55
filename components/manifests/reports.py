"""Writes findings in formats for people and for other programs."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ..findings import Finding, escaped
from .lines import located

FIELDS = ("file", "line", "object", "path", "key", "severity", "code", "message")
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_SARIF = {"error": "error", "warning": "warning", "info": "note"}
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text_line(finding: Finding) -> str:
    """``file:line: object: path: message``, preceded by the severity unless it is an error."""
    file = f"{finding.file}:{finding.line}" if finding.line else finding.file
    text = escaped(": ".join(part for part in (file, finding.object, finding.path, finding.message) if part))
    return text if finding.severity == "error" else f"{finding.severity}: {text}"


def text(findings: Sequence[Finding]) -> str:
    return "".join(f"{text_line(finding)}\n" for finding in findings)


def as_json(findings: Sequence[Finding]) -> str:
    """A list of objects with :data:`FIELDS`."""
    rows = [{name: getattr(finding, name) for name in FIELDS} for finding in findings]
    return _json(rows)


def _json(value: Any) -> str:
    # In a line of a CI log the runner would execute "##[" as a command. In JSON the two spellings are the same text.
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def github(findings: Sequence[Finding]) -> str:
    """Workflow commands of GitHub Actions, which annotate the lines of a pull request."""
    return "".join(f"{_github_line(finding)}\n" for finding in findings)


def _github_line(finding: Finding) -> str:
    values = {"file": finding.file, "line": finding.line, "title": f"modelservices {finding.code}"}
    properties = ",".join(f"{name}={_property(escaped(str(value)))}" for name, value in values.items() if value)
    return f"::{_GITHUB[finding.severity]} {properties}::{_data(_what(finding))}"


def _what(finding: Finding) -> str:
    return escaped(": ".join(part for part in (finding.object, finding.path, finding.message) if part))


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(findings: Sequence[Finding]) -> str:
    """A SARIF 2.1.0 log for code scanning. The rules are the findings' codes."""
    rules = [{"id": code} for code in sorted({finding.code for finding in findings})]
    driver = {"name": "modelservices", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}
    return _json({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _SARIF[finding.severity],
        "message": {"text": _what(finding)},
    }
    if finding.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": PurePosixPath(finding.file).as_posix()}}
        if finding.line:
            place["region"] = {"startLine": finding.line}
        result["locations"] = [{"physicalLocation": place}]
    return result


FORMATS: Mapping[str, Callable[[Sequence[Finding]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}


def report(findings: Iterable[Finding], form: str = "text") -> str:
    """All findings in one of the :data:`FORMATS`, each with its line."""
    return FORMATS[form](located(findings))
