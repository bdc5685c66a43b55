"""Invariants for every input: exit code 0 or 1, findings with a location, bounded time, no secrets in the output."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from modelservices.__main__ import main

from .mutations import SECRET

COMMANDS = (
    ("render",),
    ("validate", "--format", "json"),
    ("validate", "--format", "github"),
    ("validate", "--format", "sarif"),
    ("graph",),
    ("explain", "--key", "app.kubernetes.io/name"),
)
SECONDS = 20.0
"""Limit of CPU seconds: no input of the fuzzer's size takes that long unless a rule is far from linear."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str
    seconds: float


def run(arguments: Sequence[str]) -> Outcome:
    """Runs a command in this process. An exception is a bug and is passed to the caller."""
    out, err = io.StringIO(), io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    return Outcome(code, out.getvalue(), err.getvalue(), time.process_time() - start)


def check(command: Sequence[str], *paths: str, files: Sequence[str]) -> None:
    """Run a command and assert the invariants. ``files`` are the files that findings may name; empty if the input
    itself names files."""
    outcome = run([*command, *paths])
    assert outcome.code in (0, 1)
    assert outcome.seconds < SECONDS, f"took {outcome.seconds:.1f} s of CPU"
    assert SECRET not in outcome.out + outcome.err, "printed a secret"
    printed = outcome.err if command[0] == "render" else outcome.out + outcome.err
    assert all(line.isprintable() for line in printed.split("\n")), "printed a control character"
    outcome.out.encode()
    if "json" in command:
        _check_findings(outcome, files)
    elif outcome.code == 1 and not outcome.out and files:
        assert any(file in outcome.err for file in files), f"names no file: {outcome.err[:300]}"
    if command[0] == "render":
        _check_objects(outcome)


def _check_findings(outcome: Outcome, files: Sequence[str]) -> None:
    """The output is a list of findings, or a reason if there can be none (settings, a stack's file)."""
    if outcome.err:
        assert (outcome.code, outcome.out) == (1, "")
        return
    findings = json.loads(outcome.out)
    assert outcome.code == any(one["severity"] == "error" for one in findings)
    for one in findings:
        assert one["file"] and one["message"] and one["code"], one
        assert one["severity"] in ("error", "warning", "info"), one
        if files:
            assert one["file"].startswith(tuple(files)), one
        says_where = bool(one["path"] or one["object"])
        if one["code"] == "yaml":  # a character has only a line
            assert says_where or one["line"], one
        elif one["code"] != "not-found":  # a file, or the target of a reference
            assert says_where == (one["code"] not in WHOLE_FILE), one


WHOLE_FILE = frozenset(["empty", "encoding", "unreadable", "too-large", "no-tenant", "same-file"])


def _check_objects(outcome: Outcome) -> None:
    assert not (outcome.code and outcome.out), "objects beside an error"
    for obj in yaml.load_all(outcome.out, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        assert all(isinstance(obj[field], str) and obj[field] for field in ("apiVersion", "kind")), obj
        assert isinstance(obj["metadata"]["name"], str) and obj["metadata"]["name"], obj["metadata"]
        assert all(math.isfinite(number) for number in _numbers(obj)), obj["metadata"]


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, float):
        yield value


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
