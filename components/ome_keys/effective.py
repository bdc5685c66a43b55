"""Which of the documented keys of a manifest act."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.scalars import Opaque
from .settings import KeySettings
from .values import wrong
from .vocabulary import Entry, vocabulary


def effective_keys(labels: Mapping[str, Any], annotations: Mapping[str, Any], settings: KeySettings) -> dict[str, Any]:
    """The documented keys of a manifest that act: those in their place with a fitting value, in the profile
    ``document``."""
    if settings.profile != "document":
        return {}
    places = {"label": labels, "annotation": annotations}
    placed = [(e, places[e.place][e.key]) for e in vocabulary().entries.values() if e.key in places[e.place]]
    return {entry.key: value for entry, value in placed if _fits(entry, value)}


def _fits(entry: Entry, value: Any) -> bool:
    """Whether the rules can do something with a value; why not is said by the checks."""
    if isinstance(value, Opaque):
        return entry.may_be_unknown
    return entry.value.get("closed") is False or not wrong(value, entry.value)
