"""A component of a service over the same component of its runtime, as Kubernetes' strategic merge does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Lists whose entries are the same thing when they agree in a field. All other lists are replaced as a whole.
_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "ports": "containerPort",
    "imagePullSecrets": "name",
    "hostAliases": "ip",
}

# Entries that are replaced, not merged: a value and a valueFrom, or two sources of a volume, exclude each other.
_WHOLE = frozenset(["env", "volumes", "volumeMounts"])


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` wins; mappings are merged, lists with a key entry by entry."""
    result = dict(base)
    for field, value in over.items():
        below = result.get(field)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[field] = merged(below, value)
        elif field in _KEYS and isinstance(below, list) and isinstance(value, list):
            result[field] = _merged_list(field, below, value)
        else:
            result[field] = value
    return result


def _merged_list(field: str, base: Sequence[Any], over: Sequence[Any]) -> list[Any]:
    """The base's order, then what is new."""
    key = _KEYS[field]
    entries = {entry.get(key): entry for entry in base}
    for entry in over:
        name = entry.get(key)
        below = entries.get(name)
        entries[name] = entry if below is None or field in _WHOLE else merged(below, entry)
    return list(entries.values())
