"""Where a problem of a merged spec is in the service's manifest, or which config it comes from.

Items are matched by name, not by index.
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
"""A path in a layer below the service's."""


Indices = dict[int, dict[Any, int]]
"""Of lists by their id: the index of each item by its name."""


def path_in_manifest(path: str, merged: Any, stated: Any, known: Indices) -> str:
    """``path`` leads into ``merged``; the result has the indices that the same items have in ``stated``.

    An item that ``stated`` does not have (a preset's, a generated one) is written by its name:
    ``containers[modelcar]``. ``known`` keeps what is known about ``stated`` for its next path.
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
    """The last of the items with that name: it is the one that counts."""
    if not isinstance(items, list) or not isinstance(name, Hashable):
        return None
    if id(items) not in known:
        names = (field_of(item, identity) for item in items)
        known[id(items)] = {one: index for index, one in enumerate(names) if isinstance(one, Hashable)}
    return known[id(items)].get(name)


def with_config(problem: Problem, sources: Sequence[Source]) -> Problem:
    """A problem of the merged spec, which names the config that has its field where the service does not say it."""
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
