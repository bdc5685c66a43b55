"""Access modes of volume claims: whether several nodes can mount one at a time."""

from collections.abc import Collection
from typing import Any

from .values import value_at

_ONE_NODE = frozenset(["ReadWriteOnce", "ReadWriteOncePod"])


def access_modes(spec: Any) -> list[str]:
    """The access modes of a claim's spec, whatever that is."""
    modes = value_at(spec, "accessModes")
    return [mode for mode in modes if isinstance(mode, str)] if isinstance(modes, list) else []


def is_of_one_node(modes: Collection[str]) -> bool:
    """Whether a claim with these access modes is for one node at a time; not where it has none."""
    return bool(modes) and _ONE_NODE.issuperset(modes)
