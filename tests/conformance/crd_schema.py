"""An independent validation of manifests by a CRD's own schema, as the API server does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {"object": (dict,), "array": (list,), "string": (str,), "integer": (int,)}
_LIMITS = {
    "minLength": lambda value, limit: isinstance(value, str) and len(value) < limit,
    "maxLength": lambda value, limit: isinstance(value, str) and len(value) > limit,
    "minItems": lambda value, limit: isinstance(value, list) and len(value) < limit,
    "maxItems": lambda value, limit: isinstance(value, list) and len(value) > limit,
    "minProperties": lambda value, limit: isinstance(value, dict) and len(value) < limit,
    "maxProperties": lambda value, limit: isinstance(value, dict) and len(value) > limit,
    "minimum": lambda value, limit: value < limit,
    "maximum": lambda value, limit: value > limit,
    "enum": lambda value, limit: value not in limit,
    "pattern": lambda value, limit: not re.search(limit, value),
    "format": lambda value, limit: limit == "date-time" and not _is_time(value),
}


def refused_paths(value: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """The paths at which a schema rejects a value, including unknown fields; empty if it accepts the value."""
    if not isinstance(value, _TYPES[schema["type"]]) or isinstance(value, bool):
        return [path]
    found = [path for rule, broken in _LIMITS.items() if rule in schema and broken(value, schema[rule])]
    if isinstance(value, dict):
        found += _in_mapping(value, schema, path)
    if isinstance(value, list):
        found += [
            p for index, item in enumerate(value) for p in refused_paths(item, schema["items"], f"{path}[{index}]")
        ]
    return found


def _in_mapping(value: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    prefix = f"{path}." if path else ""
    yield from (prefix + name for name in schema.get("required", []) if name not in value)
    for name, item in value.items():
        known = properties.get(name) or schema.get("additionalProperties")
        if known:
            yield from refused_paths(item, known, prefix + name)
        elif properties or "additionalProperties" in schema:
            yield prefix + name


def repeated_keys(value: Any, schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The paths of list entries with the key of an earlier entry, in a value that the schema accepts."""
    if isinstance(value, dict):
        for name, item in value.items():
            known = schema.get("properties", {}).get(name) or schema.get("additionalProperties") or {}
            yield from repeated_keys(item, known, f"{path}.{name}" if path else name)
    if isinstance(value, list):
        keys = schema.get("x-kubernetes-list-map-keys")
        seen: list[Any] = []
        for index, item in enumerate(value):
            key = [item.get(k) for k in keys] if keys else None
            if key in seen and key is not None:
                yield f"{path}[{index}]"
            seen.append(key)
            yield from repeated_keys(item, schema["items"], f"{path}[{index}]")


def _is_time(text: str) -> bool:
    try:
        return "t" in text.lower() and datetime.fromisoformat(text.upper()).tzinfo is not None
    except ValueError:
        return False
