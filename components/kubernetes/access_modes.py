"""Access modes of volume claims, and whether only one node at a time can mount a claim."""

from collections.abc import Collection
from typing import Any

from .values import value_at

_ONE_NODE = frozenset(["ReadWriteOnce", "ReadWriteOncePod"])


def access_modes(spec: Any) -> list[str]:
    """The access modes in a claim's spec; empty for a malformed spec."""
    modes = value_at(spec, "accessModes")
    return [mode for mode in modes if isinstance(mode, str)] if isinstance(modes, list) else []


def is_of_one_node(modes: Collection[str]) -> bool:
    """Whether only one node at a time can mount a claim with these access modes; False without any."""
    return bool(modes) and _ONE_NODE.issuperset(modes)
