"""Checks a manifest that can't be read as if its errors were corrected, so that one run reports everything.

Values that don't fit are replaced by several that do, one after the other. A finding that occurs with all of them does
not come from the replaced value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from ..findings import Finding
from ..kubernetes.faults import Fault
from ..kubernetes.field_paths import item_at
from ..kubernetes.source import Document

_MOST_FAULTS = 10
_MOST_ROUNDS = 4
_MOST_VARIANTS = 8
_MOST_PLANNED = 800
"""The most documents that are planned again, over all variants."""
_ABSENT: Any = object()
_MOVED: Any = object()
"""Marks the value of an unknown field, to be moved to the name that was meant."""
_CANDIDATES = (1, 2, "a", "b", False, True, [], {})
_IDENTITY = frozenset(["apiVersion", "kind", "metadata.name", "metadata.namespace"])
"""Paths without which nothing is known of an object."""

Check = Callable[[Any], Sequence[Fault]]
"""Returns what is wrong with the data of a document."""


class Repaired(NamedTuple):
    """A document in several variants without type errors. ``paths`` are those of the replaced fields.

    ``whole``: no unknown field had to be left out because nobody knows what it was meant to be.
    """

    document: Document
    variants: tuple[Document, ...]
    paths: frozenset[str]
    whole: bool

    def is_unclear(self, path: str) -> bool:
        """Whether a path is that of a replaced field, below one, or that of the field right above it."""
        return any(
            path in (each, each.rpartition(".")[0]) or path.startswith((f"{each}.", f"{each}[")) for each in self.paths
        )


def with_repaired(
    findings: Sequence[Finding],
    documents: Sequence[Document],
    unread: Mapping[int, Check],
    findings_of: Callable[[Sequence[Document]], Sequence[Finding]],
) -> list[Finding]:
    """The findings of a plan, and further findings about unreadable documents, whose indexes are in ``unread``.

    Other documents get further findings as well, unless a field was left out on which these may depend.
    """
    repairs = {place: repair for place, check in unread.items() if (repair := repaired(documents[place], check))}
    count = max((len(repair.variants) for repair in repairs.values()), default=0)
    if not repairs or min(count, 2) * len(documents) > _MOST_PLANNED:
        return [*findings]
    most = min(count, _MOST_PLANNED // len(documents))
    common = _common([findings_of(_variant(documents, repairs, index)) for index in range(most)])
    by_object = {(repair.document.file, repair.document.object): repair for repair in repairs.values()}
    whole = all(repair.whole for repair in repairs.values())

    def stands(finding: Finding) -> bool:
        repair = by_object.get((finding.file, finding.object))
        return not repair.is_unclear(finding.path) if repair else whole

    kept = [f for f in findings if not whole or f in common or not f.object or (f.file, f.object) in by_object]
    return [*kept, *filter(stands, common)]


def _variant(documents: Sequence[Document], repairs: Mapping[int, Repaired], index: int) -> list[Document]:
    variants = {place: each.variants[index % len(each.variants)] for place, each in repairs.items()}
    return [variants.get(place, document) for place, document in enumerate(documents)]


def _common(several: Sequence[Sequence[Finding]]) -> dict[Finding, None]:
    first, *others = several
    sets = [set(found) for found in others]
    return dict.fromkeys(found for found in first if all(found in each for each in sets))


class _Fix(NamedTuple):
    fault: Fault
    values: tuple[Any, ...]
    """Values that fit at its place."""


def repaired(document: Document, check: Check) -> Repaired | None:
    """The document in variants without its errors; None if too little of it can be read."""
    fixes = _fixes(document.data, check)
    if not fixes:
        return None
    variants = tuple(_variants(document, fixes, check))
    paths = {path for fix in fixes for path in fix.fault.paths}
    whole = all(fix.fault.meant or not fix.fault.is_unknown for fix in fixes)
    return Repaired(document, variants, frozenset(paths), whole) if variants else None


def _fixes(data: Any, check: Check) -> list[_Fix] | None:
    """The fitting values for each fault; the first ones make the data readable. None if a fault has no value."""
    fixes: list[_Fix] = []
    for _ in range(_MOST_ROUNDS):
        faults = check(data)
        if not faults:
            return fixes
        if len(fixes) + len(faults) > _MOST_FAULTS:
            return None
        for fault in faults:
            fitting = () if fault.path in _IDENTITY else _fitting(data, fault, check)
            if not fitting:
                return None
            fixes.append(_Fix(fault, fitting))
            data = _with(data, fault, fitting[0])
    return None


def _fitting(data: Any, fault: Fault, check: Check) -> tuple[Any, ...]:
    """The values with which nothing is wrong at the place of a fault. Something below it may still be missing."""

    def fits(value: Any) -> bool:
        changed = _with(data, fault, value)
        return changed is not None and not any(fault.place[: len(f.place)] == f.place for f in check(changed))

    fitting = filter(fits, _candidates(fault))
    return tuple(islice(fitting, 1) if fault.is_unknown else fitting)


def _candidates(fault: Fault) -> Sequence[Any]:
    if fault.is_unknown:
        return (_MOVED, _ABSENT) if fault.meant else (_ABSENT,)
    if fault.choices:
        return fault.choices[:_MOST_VARIANTS]
    return _CANDIDATES if isinstance(fault.place[-1], int) else (_ABSENT, *_CANDIDATES)


def _variants(document: Document, fixes: Sequence[_Fix], check: Check) -> Iterator[Document]:
    for index in range(min(max(len(fix.values) for fix in fixes), _MOST_VARIANTS)):
        data: Any = document.data
        for fix in fixes:
            data = _with(data, fix.fault, fix.values[index % len(fix.values)])
        if data is not None and not check(data):
            yield replace(document, data=data)


def _with(data: Any, fault: Fault, value: Any) -> Any:
    *parents, field = fault.place
    if value is not _MOVED:
        return _changed(data, parents, lambda holder: _put(holder, field, value))
    return _changed(data, parents, lambda holder: _moved(holder, field, fault.meant))


def _changed(data: Any, place: Sequence[str | int], change: Callable[[Any], Any]) -> Any:
    """The data with the value at a place changed; None if that gives None, or if there is no such place."""
    if not place:
        return change(data)
    key, *rest = place
    found = data.get(key) if isinstance(data, Mapping) else item_at(data, key) if isinstance(key, int) else None
    inner = None if found is None else _changed(found, rest, change)
    return None if inner is None else _put(data, key, inner)


def _put(holder: Any, field: str | int, value: Any) -> Any:
    if isinstance(holder, Mapping):
        rest = {key: old for key, old in holder.items() if key != field}
        return rest if value is _ABSENT else {**rest, field: value}
    if isinstance(holder, list) and isinstance(field, int) and field < len(holder):
        return [*holder[:field], value, *holder[field + 1 :]]
    return None


def _moved(holder: Any, field: str | int, meant: str) -> Any:
    """A mapping with a field's value under the name that was meant; None if that name is taken."""
    if not isinstance(holder, Mapping) or field not in holder or meant in holder:
        return None
    return {meant if key == field else key: value for key, value in holder.items()}
