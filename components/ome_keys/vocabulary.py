"""The labels and annotations of OME, read from ``vocabulary.yaml``.

Decisions: M1 (docs/decisions).
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import yaml

from ..kubernetes.scalars import Opaque
from .settings import KeySettings
from .values import wrong

Place = Literal["label", "annotation"]

_HANDED_ON = frozenset(["free", "regex", "quantity", "json"])
"""Types of values that are passed on without being read."""


class Entry(NamedTuple):
    """One documented key; the fields are those of the file. ``on`` is empty if every kind may have it."""

    key: str
    place: Place
    category: str
    on: frozenset[str]
    value: Mapping[str, Any]
    description: str
    here: str
    examples: tuple[str, ...]
    identity: Literal["always", "warn", "never"] = "never"
    identity_on: frozenset[str] = frozenset()
    repeats: str = ""
    at_most: str = ""
    many: bool = False
    decides: bool = False
    other_families: str = ""
    upstream: str = ""

    @property
    def may_be_unknown(self) -> bool:
        """Whether the value may be an Output: it is passed on unread and decides nothing about what is rendered."""
        return not self.decides and self.value["type"] in _HANDED_ON

    def belongs_on(self, kind: str) -> bool:
        return not self.on or kind in self.on

    def is_identity_of(self, kind: str) -> bool:
        return self.identity != "never" and (not self.identity_on or kind in self.identity_on)


class UpstreamKey(NamedTuple):
    """A key of the OME controllers that the documentation does not list."""

    key: str
    place: Place
    on: frozenset[str]
    value: Mapping[str, Any]
    owned: bool = False
    enforced: str = ""


class Vocabulary(NamedTuple):
    entries: Mapping[str, Entry]
    upstream: Mapping[str, UpstreamKey]
    patterns: tuple[tuple[re.Pattern[str], UpstreamKey], ...] = ()

    def upstream_key(self, key: str) -> UpstreamKey | None:
        """The upstream key with this name, or with placeholders that match it."""
        fitting = (entry for pattern, entry in self.patterns if pattern.fullmatch(key))
        return self.upstream.get(key) or next(fitting, None)


@cache
def vocabulary() -> Vocabulary:
    text = Path(__file__).with_name("vocabulary.yaml").read_text("utf-8")
    data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    entries = [_entry(raw, data["kinds"]) for raw in data["entries"]]
    upstream = [_upstream(raw) for raw in data["upstream"]]
    patterns = tuple((_pattern(entry.key), entry) for entry in upstream if "<" in entry.key)
    return Vocabulary({e.key: e for e in entries}, {e.key: e for e in upstream}, patterns)


def _entry(raw: Mapping[str, Any], kinds: Mapping[str, list[str]]) -> Entry:
    on = raw["appliesTo"]
    return Entry(
        key=raw["key"],
        place=cast(Place, raw["place"]),
        category=raw["category"],
        on=frozenset() if on == "any" else frozenset(on if isinstance(on, list) else kinds[on]),
        value=raw["value"],
        description=raw["description"],
        here=raw["here"],
        examples=tuple(raw["examples"]),
        identity=raw.get("identity", "never"),
        identity_on=frozenset(raw.get("identityOn", ())),
        repeats=raw.get("repeats", ""),
        at_most=raw.get("atMost", ""),
        many=raw.get("many", False),
        decides=raw.get("decides", False),
        other_families=raw.get("otherFamilies", ""),
        upstream=raw.get("upstream", ""),
    )


def _upstream(raw: Mapping[str, Any]) -> UpstreamKey:
    return UpstreamKey(
        key=raw["key"],
        place=cast(Place, raw["place"]),
        on=frozenset(raw["appliesTo"]),
        value=raw["value"],
        owned=raw.get("owned", False),
        enforced=raw.get("enforced", ""),
    )


def _pattern(key: str) -> re.Pattern[str]:
    """``models.ome.io/clusterbasemodel.<name>`` as a pattern of whole keys."""
    return re.compile(re.sub(r"<\w+>", "[^/]+", re.escape(key).replace(r"\<", "<").replace(r"\>", ">")))


def effective_keys(labels: Mapping[str, Any], annotations: Mapping[str, Any], settings: KeySettings) -> dict[str, Any]:
    """The documented keys in effect: in the profile ``document``, those in their place with a valid value."""
    if settings.profile != "document":
        return {}
    places = {"label": labels, "annotation": annotations}
    placed = [(e, places[e.place][e.key]) for e in vocabulary().entries.values() if e.key in places[e.place]]
    return {entry.key: value for entry, value in placed if _fits(entry, value)}


def _fits(entry: Entry, value: Any) -> bool:
    """Whether a value can be used. The checks report why not."""
    if isinstance(value, Opaque):
        return entry.may_be_unknown
    return entry.value.get("closed") is False or not wrong(value, entry.value)
