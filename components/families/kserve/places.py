"""Locates a problem of a merged spec in the service's manifest, or names the config that it comes from.

List items are matched by name, not by index.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...findings import Problem
from ...kubernetes.field_paths import STEP, depth, field_of, item_at
from ...kubernetes.model import dump
from ...kubernetes.pod import MERGE_KEYS
from .configs import CONFIG, Source

_LAYER = re.compile(rf"((?:{CONFIG}|preset) \S+) (.*)", re.DOTALL)
"""A path with a layer's name in front."""


Indices = dict[int, dict[Any, int]]
"""The index of each list item by its name, for each list by its ``id``."""


def path_in_manifest(path: str, merged: Any, stated: Any, known: Indices) -> str:
    """Translate ``path`` from ``merged`` to ``stated``: it gets the indices that the same items have there.

    An item that ``stated`` lacks (a preset's, a generated one) is written by its name: ``containers[modelcar]``.
    ``known`` caches the indices of ``stated`` for its next path.
    """
    result, field = "", ""
    for step in STEP.finditer(path):
        if step[2] is None:
            field = step[1] if step[3] is None else step[3]
            merged, stated = field_of(merged, field), field_of(stated, field)
            result += step[0]
            continue
        item = merged[int(step[2])] if isinstance(merged, list) and int(step[2]) < len(merged) else None
        identity = MERGE_KEYS.get(field)
        if identity is None or not isinstance(item, Mapping):
            merged, stated = item, item_at(stated, int(step[2]))
            result += step[0]
            continue
        index = _index(stated, identity, item.get(identity), known)
        result += f"[{item.get(identity)}]" if index is None else f"[{index}]"
        merged, stated = item, None if index is None else stated[index]
    return result


def _index(items: Any, identity: str, name: Any, known: Indices) -> int | None:
    """The index of the last item with that name, which takes effect."""
    if not isinstance(items, list) or not isinstance(name, Hashable):
        return None
    if id(items) not in known:
        names = (field_of(item, identity) for item in items)
        known[id(items)] = {one: index for index, one in enumerate(names) if isinstance(one, Hashable)}
    return known[id(items)].get(name)


def with_config(problem: Problem, sources: Sequence[Source]) -> Problem:
    """Name the config that sets the field of a problem of the merged spec, if the service doesn't set it."""
    layer = _LAYER.fullmatch(problem.path)
    if layer:
        return replace(problem, path=layer[2], message=f"{problem.message} (from {layer[1]})")
    judged = [source for source in sources if not source.name.startswith("preset ")]
    if not any(source.name for source in judged):
        return problem
    depths = {source.name: depth(problem.path, {"spec": dump(source.spec)}) for source in judged}
    deepest = max(reversed(depths), key=lambda name: depths[name])
    if not deepest:
        return problem
    return replace(problem, message=f"{problem.message} (from {deepest})")
