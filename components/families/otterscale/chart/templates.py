"""Helm's template expressions in values, as far as they only name another value: ``{{ .Values.modelArtifacts.name }}``.

The chart evaluates them in the model's URI, variables and further fields of pods; arguments it passes on as they are.
"""

import re
from collections.abc import Mapping
from typing import Any

from ....findings import Problem
from ....kubernetes.scalars import Plain
from ....kubernetes.values import field_path, value_at

_REFERENCE = re.compile(r"[\"']?\{\{-? *\.(Values|Release)\.([A-Za-z0-9_.]+) *(?:\| *quote *)?-?\}\}[\"']?")
_MAX_ROUNDS = 5
"""A value that is named may name another one."""
_AS_THEY_ARE = frozenset(["args", "command"])


def evaluated(values: Mapping[str, Any], release: Mapping[str, str]) -> tuple[Mapping[str, Any], list[Problem]]:
    """The values with what their references name, and an error for each expression that is left. ``release`` has
    ``Name`` and, where it is known, ``Namespace``."""
    problems: list[Problem] = []
    return _walk(values, "", {"Values": values, "Release": release}, problems), problems


def _walk(value: Any, path: str, roots: Mapping[str, Any], problems: list[Problem]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: item if key in _AS_THEY_ARE else _walk(item, field_path(path, str(key)), roots, problems)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_walk(item, f"{path}[{index}]", roots, problems) for index, item in enumerate(value)]
    return _text(value, path, roots, problems) if isinstance(value, str) and "{{" in value else value


def _text(text: str, path: str, roots: Mapping[str, Any], problems: list[Problem]) -> str:
    for _ in range(_MAX_ROUNDS):
        text = _REFERENCE.sub(lambda reference: _named(reference, roots), text)
    if "{{" in text:
        message = f"has a template expression that is not evaluated here; write its value instead of {text}"
        problems.append(Problem(path, message, code="placeholder"))
    return Plain(text)


def _named(reference: re.Match[str], roots: Mapping[str, Any]) -> str:
    value = value_at(roots, reference[1], *reference[2].split("."))
    return value if isinstance(value, str) else reference[0]
