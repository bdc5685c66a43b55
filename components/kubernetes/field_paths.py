"""Follows field paths such as ``spec.template.containers[0].env[TOKEN]``, with items by index or by name."""

import re
from collections.abc import Mapping
from typing import Any

from .pod import MERGE_KEYS

STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\["([^"]*)"\]')
"""One step: a field or an item's name, an item's index, or a quoted key."""


def depth(path: str, value: Any) -> int:
    """Number of steps of a path that exist in a value."""
    steps, field = 0, ""
    for step in STEP.finditer(path):
        value, field = _next(value, field, step), step[1] or step[3] or field
        if value is None:
            break
        steps += 1
    return steps


def field_of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def item_at(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and index < len(value) else None


def _next(value: Any, field: str, step: re.Match[str]) -> Any:
    if step[2] is not None:
        return item_at(value, int(step[2]))
    name = step[1] if step[3] is None else step[3]
    if isinstance(value, list):
        return next((item for item in value if field_of(item, MERGE_KEYS.get(field, "name")) == name), None)
    return field_of(value, name)
