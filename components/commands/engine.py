"""Asks the engine's command line, `pulumi`, for what only it knows: a stack's state, and a preview."""

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from ..findings import Finding, InvalidManifests


def ask_engine(*arguments: str, stack: str) -> Mapping[str, Any]:
    """The JSON that a command of `pulumi` prints about a stack. Raises InvalidManifests when it fails."""
    command = ["pulumi", *arguments, "--stack", stack, "--non-interactive"]
    # A preview has no state to keep.
    environment = {**os.environ, "PULUMI_SKIP_CHECKPOINTS": "true"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError:
        raise _failure("there is no `pulumi` on PATH, which has the stack's state") from None
    if done.returncode:
        raise _failure(f"`{' '.join(command)}` failed: {_said(done)}")
    return json.loads(done.stdout)


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Why a command failed: the diagnostics in its JSON, or stderr."""
    try:
        diagnostics = json.loads(done.stdout).get("diagnostics") or []
    except ValueError:
        diagnostics = []
    errors = [entry["message"].strip() for entry in diagnostics if entry.get("severity") == "error"]
    return "\n".join(errors) or done.stderr.strip()


def _failure(message: str) -> InvalidManifests:
    return InvalidManifests([Finding("", "", "", message, code="state")])
