"""Placeholders that someone forgot to fill in: found at their path, before they reach a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..findings import Problem

_FORGOTTEN = re.compile(r"<[a-z][a-z0-9_-]*>|\bCHANGE-?ME\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_VARIABLE = re.compile(r"\$\{(?!secret:)[^}]*\}")

# What a cluster or kubectl wrote, and OME's own templates of host names and paths.
_NOT_OURS = frozenset(
    [
        "managedFields",
        "status",
        "kubectl.kubernetes.io/last-applied-configuration",
        "ome.io/ingress-domain-template",
        "ome.io/ingress-path-template",
    ]
)

# A command line has its own meaning for braces: shell variables, chat templates.
_COMMANDS = frozenset(["args", "command", "extraArgs"])


def placeholders(value: Any, *, templates: bool = False, path: str = "") -> list[Problem]:
    """One error for each text that still has a placeholder. With ``templates``, ``{{ … }}`` is the family's own."""
    return list(_search(value, templates, path, command=False))


def _search(value: Any, templates: bool, path: str, *, command: bool) -> Iterator[Problem]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _NOT_OURS:
                where = f"{path}.{key}" if path else str(key)
                yield from _search(item, templates, where, command=command or key in _COMMANDS)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _search(item, templates, f"{path}[{index}]", command=command)
    elif isinstance(value, str):
        found = _placeholder(value, templates, command)
        if found:
            yield Problem(path, f"has a placeholder that was not filled in: {found}", code="placeholder")


def _placeholder(text: str, templates: bool, command: bool) -> str | None:
    patterns = [_FORGOTTEN]
    if not command:
        patterns += [_VARIABLE] if templates else [_VARIABLE, _TEMPLATE]
    for pattern in patterns:
        match = pattern.search(text)
        if match and not (command and match[0] != text.strip()):
            return match[0]
    return None
