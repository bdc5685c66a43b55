"""Where a manifest states what one of its rendered objects has."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..kubernetes.model import dump
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.values import field_path, texts


def place_of(record: RenderedObject, wanted: str) -> str:
    """The manifest's field with a text; the object's if a setting or another manifest has it."""
    return places(record).get(wanted, record.field)


def places(record: RenderedObject) -> dict[str, str]:
    """The manifest's texts, each with the first field that has it: for rules with many findings about one object."""
    written = [*texts(dump(record.source.manifest))]
    return {text: path for path, text in reversed(written)}


def place_of_field(record: RenderedObject, names: Sequence[str]) -> str:
    """The manifest's first field with one of the names, in their order, or else the object's field."""
    paths = list(_fields(dump(record.source.manifest)))
    found = (path for name in names for path in paths if path.endswith((f".{name}", f'/{name}"]')))
    return next(found, record.field)


def place_of_path(record: RenderedObject, path: str) -> str:
    """The manifest's field for a path of the object: the one with the longest common end. The end of a field that the
    manifest lacks is kept, at the item that lacks it."""
    known = list(_fields(dump(record.source.manifest)))
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        rest = f".{parts[end]}" if end == len(parts) - 1 else ""
        for start in range(1, end):
            suffix = f".{'.'.join(parts[start:end])}"
            found = next((each for each in known if each.endswith(suffix)), None)
            if found:
                return f"{found}{rest}"
    return record.field


def _fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            field = field_path(path, str(key))
            yield field
            yield from _fields(item, field)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield f"{path}[{index}]"
            yield from _fields(item, f"{path}[{index}]")


def place_of_flag(record: RenderedObject, flag: str) -> str:
    """The argument with a flag in any spelling, with or without its value, or else the object's field."""
    written = texts(dump(record.source.manifest))
    return next((path for path, text in written if text[:1] == "-" and _name(text) == _name(flag)), record.field)


def _name(flag: str) -> str:
    """``--pool-name``, ``--poolName=x`` and ``-pool-name`` are the same flag."""
    return flag.partition("=")[0].replace("-", "").lower()
