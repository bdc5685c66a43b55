"""Lists in pods whose items have keys in server-side apply; a live list with a duplicate key can't be applied.

The API server accepts such a list when an object is created (a repeated environment variable), but refuses to apply it.
Items that are left out of the applied object stay as they are, as long as no manager owns them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

KEYS: Mapping[str, tuple[str, ...]] = {
    "containers": ("name",),
    "env": ("name",),
    "initContainers": ("name",),
    "ports": ("containerPort", "protocol"),
}

FieldPath = tuple[str, ...]
"""Path of a field in ``managedFields``: ``("f:spec", "f:ports", 'k:{"name":"http"}')``."""


def without_duplicates(value: Any) -> Any:
    """The same value without the items whose key their list has twice, and without a list that has no others: an empty
    one would remove them."""
    if isinstance(value, Mapping):
        kept = {name: [i for i in item if _key(name, i) not in _twice(name, item)] for name, item in _keyed(value)}
        left = {name: kept.get(name, item) for name, item in value.items() if kept.get(name, item) or not item}
        return {name: without_duplicates(item) for name, item in left.items()}
    return [without_duplicates(item) for item in value] if isinstance(value, list) else value


def duplicates(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """The paths of the items whose key their list has twice; of a list that has no others its own."""
    if not isinstance(value, Mapping):
        return
    keyed = dict(_keyed(value))
    for name, item in value.items():
        inner = (*path, f"f:{name}")
        if name not in keyed:
            yield from duplicates(item, inner)
            continue
        twice = _twice(name, keyed[name])
        if twice and all(_key(name, one) in twice for one in item):
            yield inner
            continue
        yield from ((*inner, key) for key in sorted(twice))
        for one in item:
            if _key(name, one) not in twice:
                yield from duplicates(one, (*inner, _key(name, one)))


def _keyed(value: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, item in value.items():
        if name in KEYS and isinstance(item, list) and all(isinstance(one, Mapping) for one in item):
            yield name, item


def _twice(name: str, items: list[Any]) -> set[str]:
    return {key for key, count in Counter(_key(name, item) for item in items).items() if count > 1}


def _key(name: str, item: Mapping[str, Any]) -> str:
    return item_key(item, KEYS[name])


def item_key(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """A list item's key, formed from the fields in ``keys``, as ``managedFields`` writes it."""
    values = {key: item.get(key, "TCP" if key == "protocol" else None) for key in keys}
    return f"k:{json.dumps(values, separators=(',', ':'))}"
