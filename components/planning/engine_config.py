"""Config that only Pulumi's engine can read: values from a stack's ESC environments, and encrypted values.

It is read with ``pulumi config`` of the program on PATH, only if a stack's file has such config.
"""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SECONDS = 60


class NotReadable(Exception):
    """The engine can't be asked or refuses; the message says why."""


def engine_config(stack: str, root: Path, *, secret_texts: bool) -> dict[str, Any]:
    """Every key of the stack's config with its plain value; secret texts only on request. Raises NotReadable."""
    command = ["pulumi", "config", "--stack", stack, "--show-secrets", "--json", "--non-interactive"]
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except FileNotFoundError:
        raise NotReadable("pulumi is not on PATH") from None
    except subprocess.TimeoutExpired:
        raise NotReadable(f"pulumi did not answer within {_SECONDS} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise NotReadable(lines[0] if lines else f"pulumi config ended with {done.returncode}")
    try:
        items = json.loads(done.stdout).items()
        return {key: _value(item) for key, item in items if secret_texts or not _is_secret_text(item)}
    except (ValueError, AttributeError):
        raise NotReadable("pulumi config printed no JSON") from None


def _is_secret_text(item: Mapping[str, Any]) -> bool:
    return bool(item.get("secret")) and "objectValue" not in item


def _value(item: Mapping[str, Any]) -> Any:
    return item["objectValue"] if "objectValue" in item else item.get("value")
