"""Helpers for plain YAML and JSON values of unchecked shape: following a path, leaving out empty values."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any


def value_at(value: Any, *path: str) -> Any:
    """The value at a path of field names; None if it is missing or something on the path is not a mapping."""
    for field in path:
        value = value.get(field) if isinstance(value, dict) else None
    return value


def values_at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Every value at a path of field names, including those in lists."""
    if isinstance(value, list):
        for item in value:
            yield from values_at(item, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from values_at(value[path[0]], path[1:])


def all_text(value: Any) -> str:
    """The texts in a value, one on each line, to check quickly whether something occurs before its path is searched.
    Keys and other types (an Output) are left out."""
    lines: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return "\n".join(lines)


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for field, item in value.items():
            yield from texts(item, field_path(path, str(field)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, f"{path}[{index}]")


def repeated(items: Iterable[Hashable]) -> Iterator[tuple[int, Any, int]]:
    """Each repeated item: its index, the item, and the index of its first occurrence. None is skipped."""
    first: dict[Hashable, int] = {}
    for index, item in enumerate(items):
        if item is not None and first.setdefault(item, index) != index:
            yield index, item, first[item]


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without null and without empty texts, lists and mappings. ``False`` and ``0`` stay."""
    return {field: value for field, value in fields.items() if value not in (None, "", [], {})}


def field_path(path: str, field: str) -> str:
    """The path of a field as findings write it; a name with dots or slashes goes in brackets."""
    if "." in field or "/" in field:
        return f'{path}["{field}"]'
    return f"{path}.{field}" if path else field


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
