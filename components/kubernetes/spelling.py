"""Suggestions for unknown names, for the end of a message."""

from collections.abc import Iterable

_LONGEST = 100
_MOST = 1000


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name with the most similar spelling, or None. Long names, and more than 1000, are not compared."""
    if len(name) > _LONGEST:
        return None
    import difflib  # only needed for an unknown name

    names = [one for one in known if len(one) <= _LONGEST]
    close = difflib.get_close_matches(name, names[:_MOST], n=1, cutoff=cutoff)
    return close[0] if close else None


def listed(names: Iterable[str], most: int = 12) -> str:
    """The names for a sentence; of many, only the first ones."""
    shown = list(names)
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more if shown else "none"
