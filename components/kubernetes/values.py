"""Plain values, as YAML and JSON give them, whose shape nobody has checked: looking along a path, leaving out what is
empty."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any


def value_at(value: Any, *path: str) -> Any:
    """The value at a path of field names; None where there is nothing, or something of another shape on the way."""
    for field in path:
        value = value.get(field) if isinstance(value, dict) else None
    return value


def values_at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Every value at a path of field names; lists are gone through."""
    if isinstance(value, list):
        for item in value:
            yield from values_at(item, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from values_at(value[path[0]], path[1:])


def all_text(value: Any) -> str:
    """The texts in a value, a line each: tells whether something can be there, before its path is looked for. Keys and
    what is no text (an Output) are not among them."""
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
    """Each item that is there already: its index, itself, and the index of the first one. None is no item."""
    first: dict[Hashable, int] = {}
    for index, item in enumerate(items):
        if item is not None and first.setdefault(item, index) != index:
            yield index, item, first[item]


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something: no null, no empty text, list or mapping. ``False`` and ``0`` stay."""
    return {field: value for field, value in fields.items() if value not in (None, "", [], {})}


def field_path(path: str, field: str) -> str:
    """The path of a field, as findings write it: a name with dots or slashes stands in brackets."""
    if "." in field or "/" in field:
        return f'{path}["{field}"]'
    return f"{path}.{field}" if path else field


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
