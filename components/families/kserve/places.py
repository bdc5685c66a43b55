"""Where a problem of a merged pod is in the service's own manifest: items are matched by name, not by index."""

import re
from collections.abc import Hashable, Mapping
from typing import Any

from ...kubernetes.pod import MERGE_KEYS

_STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\["([^"]*)"\]')


Indices = dict[int, dict[Any, int]]
"""Of lists by their id: the index of each item by its name."""


def own_path(path: str, merged: Any, own: Any, known: Indices) -> str:
    """``path`` leads into ``merged``; the result has the indices that the same items have in ``own``.

    An item that ``own`` does not have (a preset's, a generated one) is given by its name: ``containers[modelcar]``.
    ``known`` keeps what was found out about ``own`` for its next path.
    """
    result, field = "", ""
    for step in _STEP.finditer(path):
        if step[2] is None:
            field = step[1] if step[3] is None else step[3]
            merged, own = _get(merged, field), _get(own, field)
            result += step[0]
            continue
        item = merged[int(step[2])] if isinstance(merged, list) and int(step[2]) < len(merged) else None
        identity = MERGE_KEYS.get(field)
        if identity is None or not isinstance(item, Mapping):
            merged, own = item, _at(own, int(step[2]))
            result += step[0]
            continue
        index = _index(own, identity, item.get(identity), known)
        result += f"[{item.get(identity)}]" if index is None else f"[{index}]"
        merged, own = item, None if index is None else own[index]
    return result


def _get(value: Any, field: str) -> Any:
    return value.get(field) if isinstance(value, Mapping) else None


def _at(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and index < len(value) else None


def _index(items: Any, identity: str, name: Any, known: Indices) -> int | None:
    """The last of the items with that name: it is the one that counts."""
    if not isinstance(items, list) or not isinstance(name, Hashable):
        return None
    if id(items) not in known:
        names = (_get(item, identity) for item in items)
        known[id(items)] = {one: index for index, one in enumerate(names) if isinstance(one, Hashable)}
    return known[id(items)].get(name)
