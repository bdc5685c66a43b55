"""Schemas for values that are passed on unchanged: fields of Kubernetes types and of some CRDs.

``tools/api_fields.py`` writes them to ``api_fields.json`` and documents how types are spelled.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..findings import Problem
from .quantities import amount
from .scalars import Opaque, describe, shape
from .spelling import nearest

_SCALARS: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "int-or-string": (int, str),
    "integer": (int,),
    "number": (int, float),
    "quantity": (int, float, str),
    "string": (str,),
}
_WORDS = {
    "boolean": "true or false",
    "int-or-string": "a number or a text",
    "integer": "a whole number",
    "number": "a number",
    "quantity": "a quantity such as 1Gi",
    "string": "a string",
}


@cache
def _types() -> Mapping[str, Mapping[str, str]]:
    return json.loads(Path(__file__).with_name("api_fields.json").read_text("utf-8"))


def fields(kind: str) -> Mapping[str, str]:
    """The fields of a Kubernetes type and their types."""
    return _types()[kind]


def field_problems(value: Any, kind: str, path: str) -> Iterator[Problem]:
    """Why a value doesn't match a type: unknown fields, missing fields, values of another type."""
    if value is None or isinstance(value, Opaque) or kind == "any":
        return
    if kind.startswith(("[", "{")):
        yield from _several(value, kind, path)
    elif kind.startswith("="):
        if value not in kind[1:].split("|"):
            listed = kind[1:].replace("|", ", ")
            yield Problem(path, f"must be one of {listed}, got {describe(value)}", code="bad-value")
    elif kind in _SCALARS:
        if not _is_scalar(value, kind):
            yield Problem(path, f"must be {_WORDS[kind]}, got {describe(value)}", code="bad-value")
    elif not isinstance(value, Mapping):
        yield Problem(path, f"must be a mapping, got {shape(value)}", code="bad-value")
    else:
        yield from _members(value, kind, path)


def _several(value: Any, kind: str, path: str) -> Iterator[Problem]:
    inner = kind[1:-1]
    if kind.startswith("[") and isinstance(value, list):
        for index, item in enumerate(value):
            if item is None:
                yield Problem(f"{path}[{index}]", "is null; remove it, or give it a value", code="bad-value")
            yield from field_problems(item, inner, f"{path}[{index}]")
    elif kind.startswith("{") and isinstance(value, Mapping):
        for key, item in value.items():
            yield from field_problems(item, inner, f'{path}["{key}"]')
    else:
        yield Problem(
            path, f"must be a {'list' if kind[0] == '[' else 'mapping'}, got {shape(value)}", code="bad-value"
        )


def _members(value: Mapping[str, Any], kind: str, path: str) -> Iterator[Problem]:
    known = fields(kind)
    for field, item in value.items():
        if field in known:
            yield from field_problems(item, known[field].lstrip("!"), f"{path}.{field}")
        else:
            near = nearest(str(field), known, cutoff=0.7)
            hint = f"did you mean {near}?" if near else f"known here: {', '.join(sorted(known))}"
            yield Problem(f"{path}.{field}", f"is not a known field; {hint}", code="unknown-field")
    for field, inner in known.items():
        if inner.startswith("!") and value.get(field) is None:
            yield Problem(f"{path}.{field}", "is required", code="required")


def _is_scalar(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if not isinstance(value, _SCALARS[kind]):
        return False
    if kind == "quantity":
        try:
            amount(str(value))
        except ValueError:
            return False
    return True
