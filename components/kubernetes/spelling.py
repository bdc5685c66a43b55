"""What was probably meant by a name that is not known: advice for the end of a message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 100
_MOST = 1000


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is spelled most nearly so; none is looked for where that would take long."""
    if len(name) > _LONGEST:
        return None
    names = [one for one in known if len(one) <= _LONGEST]
    found = difflib.get_close_matches(name, names[:_MOST], n=1, cutoff=cutoff)
    return found[0] if found else None


_SHOWN = 12


def listed(names: Iterable[str]) -> str:
    """The names as a sentence has them; of many only the first ones."""
    found = list(names)
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more if found else "none"
