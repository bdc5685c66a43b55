"""The fields in which two objects differ, as paths: what an update would change."""

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ..kubernetes.quantities import amount

_SERVERS_OWN = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")

PULUMIS_OWN = "metadata.annotations.pulumi.com/"
"""Prefix of the paths of annotations that are added at registration and not rendered."""

_NAMES = ("name", "mountPath", "containerPort", "port", "key", "type")
"""Fields that identify a list's items: the first that all items have, with distinct values."""


def changed_paths(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The fields in which an object of the API server differs from an earlier state, except status."""
    return sorted(set(_differences(_stated(before), _stated(after), "", both_ways=True)))


def unmet_paths(rendered: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    """The rendered fields that the live object lacks or has with other values."""
    return sorted(set(_differences(_stated(rendered), _stated(live), "", both_ways=False)))


def _stated(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _SERVERS_OWN}
    return {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata}


def _differences(first: Any, second: Any, path: str, *, both_ways: bool) -> Iterator[str]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        names = [*first, *(name for name in second if name not in first)] if both_ways else list(first)
        for name in names:
            yield from _differences(
                first.get(name), second.get(name), f"{path}.{name}".lstrip("."), both_ways=both_ways
            )
    elif isinstance(first, list) and isinstance(second, list):
        yield from _of_lists(first, second, path, both_ways=both_ways)
    elif not _same(first, second):
        yield path


def _of_lists(first: list[Any], second: list[Any], path: str, *, both_ways: bool) -> Iterator[str]:
    pairs = paired(first, second)
    if pairs is None:
        yield path
        return
    by_name, other = pairs
    for name in [*by_name, *(name for name in other if name not in by_name and both_ways)]:
        yield from _differences(by_name.get(name), other.get(name), f"{path}[{name}]", both_ways=both_ways)


def paired(first: list[Any], second: list[Any]) -> tuple[dict[Any, Any], dict[Any, Any]] | None:
    """The items of two lists by their names, or by their places in lists of one length. Otherwise None."""
    by_name, other = _by_name(first), _by_name(second)
    if by_name is not None and other is not None:
        return by_name, other
    return (dict(enumerate(first)), dict(enumerate(second))) if len(first) == len(second) else None


def _by_name(items: list[Any]) -> dict[Any, Any] | None:
    for field in _NAMES:
        if items and all(isinstance(item, Mapping) and field in item for item in items):
            names = [item[field] for item in items]
            if len(set(map(str, names))) == len(names):
                return dict(zip(names, items, strict=True))
    return None


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal, both empty, or spellings of one boolean, number or quantity.

    Manifests have text where the API server answers with the type that the CRD defines.
    """
    if first == second or (first in (None, {}, [], "") and second in (None, {}, [], "")):
        return True
    scalars = [value for value in (first, second) if isinstance(value, str | int | float)]
    if len(scalars) != 2:
        return False
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in scalars]
    return texts[0] == texts[1] or _number(texts[0]) == _number(texts[1]) is not None


def _number(text: str) -> Decimal | None:
    try:
        return amount(text)
    except (ValueError, InvalidOperation):
        return None
