"""Checks of OME's labels and annotations, for any object of any family.

The profile ``document`` treats the documented keys as a convention. ``upstream`` also reports keys that the OME
controllers ignore or replace by another key, and checks the keys that they read. Unknown keys are reported only in
OME's domains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..findings import Problem, Severity
from ..kubernetes.metadata import is_label_value
from ..kubernetes.scalars import Opaque, Plain, describe, resolve
from ..kubernetes.spelling import nearest
from ..kubernetes.values import mapping, value_at
from . import keys
from .presence import is_ome_key, may_have_keys
from .values import wrong
from .vocabulary import Entry, UpstreamKey, vocabulary

Profile = Literal["document", "upstream"]

STANDARD = (keys.MANAGED_BY, keys.COMPONENT, keys.PART_OF, keys.VERSION)
"""An object with one of these labels should have all of them."""

RECOMMENDED = {
    "InferenceService": (keys.SERVING_MODEL,),
    "TrainingJob": (keys.TRAINING_FRAMEWORK,),
    "BenchmarkJob": (keys.BENCHMARK_TARGET_SERVICE, keys.BENCHMARK_TASK_TYPE),
}
"""Labels that an OME manifest of a kind should have."""

# Kinds of other families that the vocabulary calls InferenceService.
_SERVICES = frozenset(["ModelService", "LLMInferenceService"])

_FIELDS: dict[str, str] = {"label": "labels", "annotation": "annotations"}


class _Subject(NamedTuple):
    """An object as the checks see it: its kind, its keys by place, and its spec."""

    kind: str
    of_ome: bool
    labels: Mapping[str, Any]
    annotations: Mapping[str, Any]
    spec: Any

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> _Subject:
        kind = str(manifest.get("kind", ""))
        group = str(manifest.get("apiVersion", "")).partition("/")[0]
        labels, annotations = (mapping(value_at(manifest, "metadata", field)) for field in _FIELDS.values())
        kind = "InferenceService" if kind in _SERVICES else kind
        return cls(kind, group == "ome.io", labels, annotations, manifest.get("spec"))

    def pairs(self) -> Iterator[tuple[str, str, Any]]:
        yield from (("label", key, value) for key, value in self.labels.items())
        yield from (("annotation", key, value) for key, value in self.annotations.items())

    def fact(self, path: str) -> str | None:
        """The string at a path such as ``model.name`` in the spec, or None."""
        value = value_at({"spec": self.spec}, *path.split("."))
        return str(value) if isinstance(value, str) else None


_ADVISED = 25
"""Maximum number of unknown keys with advice: thousands are not typos, and each takes time."""


def check_metadata(manifest: Mapping[str, Any], profile: Profile, custom: Collection[str] = ()) -> Iterator[Problem]:
    """Problems of an object's OME keys. ``manifest`` is the document as loaded, which shows unquoted numbers and
    booleans; ``custom`` are a team's keys, which are not unknown."""
    if not may_have_keys(manifest):
        return
    subject, known, advised = _Subject.of(manifest), vocabulary(), 0
    for place, key, value in subject.pairs():
        entry, upstream = known.entries.get(key), known.upstream_key(key)
        if entry and (is_ome_key(key) or subject.of_ome):
            yield from _documented(subject, entry, place, value, profile)
        elif upstream:
            yield from _of_upstream(subject, upstream, place, key, value, profile)
        elif is_ome_key(key) and not entry and key not in custom:
            advised += 1
            advice = _near(key) if advised <= _ADVISED else ""
            yield _problem(place, key, f"is not a known key{advice}", "warning", "unknown-key")
    yield from _pairs(subject)
    yield from _missing(subject)


def _documented(subject: _Subject, entry: Entry, place: str, value: Any, profile: Profile) -> Iterator[Problem]:
    if place != entry.place:
        yield _misplaced(entry, place, entry.key)
        return
    if not entry.belongs_on(subject.kind):
        message = f"has no effect on this kind ({subject.kind}); it belongs on {', '.join(sorted(entry.on))}"
        yield _problem(place, entry.key, message, "warning", "wrong-kind")
    bad = list(_bad_value(entry, place, value, profile))
    yield from bad
    if profile == "upstream" and entry.upstream != "used":
        yield _ignored(entry)
    fact = subject.fact(entry.repeats) if entry.repeats and subject.of_ome else None
    if not bad and fact is not None and isinstance(value, str) and value != fact:
        message = f"is {describe(str(value))}, but {entry.repeats} is {describe(fact)}; make the two equal"
        yield _problem(place, entry.key, message, "warning", "inconsistent")


def _bad_value(entry: Entry, place: str, value: Any, profile: Profile) -> Iterator[Problem]:
    if isinstance(value, Opaque):
        if not entry.may_be_unknown:
            message = "decides what is rendered, so it must be a plain value, got an Output"
            yield _problem(place, entry.key, message, "error", "output")
        return
    severity: Severity = "error"
    reason = _not_text(value)
    if not reason and place == "label" and not is_label_value(value):
        reason = "must be at most 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends"
    if not reason:
        reason = wrong(value, entry.value)
        if entry.value.get("closed") is False or (profile == "upstream" and entry.upstream == "used"):
            severity = "warning"
    if reason:
        yield _problem(place, entry.key, f"{reason}, got {describe(value)}", severity, "bad-value")


def _not_text(value: Any) -> str:
    """Why a value is not a string in YAML, or an empty text."""
    read = resolve(value) if isinstance(value, Plain) else value
    if isinstance(read, str):
        return ""
    return "must be a string: put it in quotes" if isinstance(read, bool | int | float) else "must be a string"


def _ignored(entry: Entry) -> Problem:
    if entry.upstream:
        message = f"is not read by the OME controllers; they read {entry.upstream}"
        return _problem(entry.place, entry.key, message, "warning", "deprecated")
    return _problem(entry.place, entry.key, "is not read by the OME controllers", "warning", "no-effect")


def _of_upstream(
    subject: _Subject, known: UpstreamKey, place: str, key: str, value: Any, profile: Profile
) -> Iterator[Problem]:
    if place != known.place and not known.owned:
        if is_ome_key(key) and (subject.of_ome or profile == "upstream"):
            yield _misplaced(known, place, key)
        return
    if profile == "document":
        if subject.of_ome and _is_enforced(subject, known):
            yield from _upstream_value(subject, known, place, key, value)
        return
    if known.owned:
        if subject.of_ome and _is_child_key(subject.kind, known):
            message = "is overwritten by the OME controllers; remove it"
            yield _problem(place, key, message, "warning", "controller-owned")
        return
    if subject.of_ome and is_ome_key(key) and subject.kind not in known.on:
        yield _problem(place, key, f"has no effect on this kind ({subject.kind}); remove it", "warning", "wrong-kind")
    yield from _upstream_value(subject, known, place, key, value)


def _misplaced(known: Entry | UpstreamKey, place: str, key: str) -> Problem:
    message = f"is {_a(place)}, but {key} is {_a(known.place)}; move it to metadata.{_FIELDS[known.place]}"
    return _problem(place, key, message, "error", "wrong-place")


def _upstream_value(subject: _Subject, known: UpstreamKey, place: str, key: str, value: Any) -> Iterator[Problem]:
    """Values that OME's admission refuses are errors, those that its controllers ignore are warnings."""
    if isinstance(value, Opaque):
        return
    reason = _not_text(value) or wrong(value, known.value)
    if reason:
        severity: Severity = "error" if _is_enforced(subject, known) else "warning"
        yield _problem(place, key, f"{reason}, got {describe(value)}", severity, "bad-value")


def _is_child_key(kind: str, known: UpstreamKey) -> bool:
    """Whether the controllers write an owned key on the objects that they make for this kind."""
    children = {"InferenceService": "serving children", "BenchmarkJob": "Job"}
    return kind in known.on or children.get(kind) in known.on


def _is_enforced(subject: _Subject, known: UpstreamKey) -> bool:
    key, _, value = known.enforced.partition("=")
    return key == "always" or (bool(key) and subject.annotations.get(key) == value)


def _pairs(subject: _Subject) -> Iterator[Problem]:
    """A lower bound above the upper one is reported at the upper one."""
    for entry in vocabulary().entries.values():
        low, high = (subject.annotations.get(key) for key in (entry.key, entry.at_most or entry.key))
        if entry.at_most and isinstance(low, str) and isinstance(high, str):
            both_fit = not wrong(low, entry.value) and not wrong(high, vocabulary().entries[entry.at_most].value)
            if both_fit and int(low) > int(high):
                message = f"is {high}, below {entry.key}, which is {low}"
                yield _problem("annotation", entry.at_most, message, "error", "inconsistent")


def _missing(subject: _Subject) -> Iterator[Problem]:
    wanted = list(RECOMMENDED.get(subject.kind, ())) if subject.of_ome else []
    if any(key in subject.labels for key in STANDARD):
        wanted += STANDARD
    for key in wanted:
        if key not in subject.labels:
            message = f"the label {key} is recommended: {vocabulary().entries[key].description}"
            yield Problem("metadata.labels", message, "warning", "missing-recommended", key)


def check_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Problem]:
    """Keys that identify an object and that a new version changes or removes. Adding one is allowed."""
    old, new = _Subject.of(before), _Subject.of(after)
    for place, key, value in old.pairs():
        entry = vocabulary().entries.get(key)
        if entry is None or place != entry.place or not entry.is_identity_of(new.kind):
            continue
        now = (new.labels if place == "label" else new.annotations).get(key)
        if now != value:
            change = "was removed" if now is None else f"changes to {describe(now)}"
            message = f"{change} (it was {describe(value)}), but it identifies the object; make a new object instead"
            severity: Severity = "error" if entry.identity == "always" else "warning"
            yield _problem(place, key, message, severity, "immutable-changed")


def _problem(place: str, key: str, message: str, severity: Severity, code: str) -> Problem:
    return Problem(f'metadata.{_FIELDS[place]}["{key}"]', message, severity, code, key)


def _a(place: str) -> str:
    return "a label" if place == "label" else "an annotation"


def _near(key: str) -> str:
    known = [*vocabulary().entries, *vocabulary().upstream]
    near = nearest(key, known, cutoff=0.8)
    return f"; did you mean {near}?" if near else "; list your own keys under settings.ome.customKeys"
