"""Differences between a manifest and its custom resource in the cluster."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..kubernetes.values import mapping
from .differences import paired, unmet_paths
from .managed_fields import part_of, states_fields

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def edits(manifest: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    """Paths of the spec in which a manifest and its custom resource differ, in both directions.

    If ``live`` is in another API version, only fields that both have count. Defaults of the CRD are no difference.
    Fields that only the custom resource has count if they are items of lists, or if somebody applied them: `kubectl
    apply` keeps what it applied in an annotation, server-side apply in managedFields.
    """
    stated, there = _spec(manifest), _spec(live)
    if manifest.get("apiVersion") != live.get("apiVersion"):
        stated = _common(stated, there)
    return sorted({*unmet_paths(stated, there), *_added(stated, live)})


def _added(stated: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[str]:
    there = _spec(live)
    yield from (path for path in unmet_paths(there, stated) if path.endswith("]"))
    for applied in _applied(live):
        yield from unmet_paths(_common(there, _spec(applied)), stated)


def _applied(live: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What was applied, by each who did, perhaps in another API version."""
    annotation = mapping(live["metadata"].get("annotations")).get(_LAST_APPLIED)
    with suppress(ValueError):
        yield mapping(json.loads(annotation)) if isinstance(annotation, str) else {}
    for entry in live["metadata"].get("managedFields") or []:
        if entry.get("operation") == "Apply" and states_fields(entry):
            yield mapping(part_of(live, entry.get("fieldsV1") or {}))


def _common(there: Any, applied: Any) -> Any:
    """The part of a custom resource that is also in what was applied, or in another version: a field of another API
    version is not in both, and the API server fills in defaults, also in items of lists."""
    if isinstance(there, Mapping) and isinstance(applied, Mapping):
        return {name: _common(there[name], value) for name, value in applied.items() if name in there}
    pairs = paired(there, applied) if isinstance(there, list) and isinstance(applied, list) else None
    if pairs is None:
        return there
    now, then = pairs
    return [_common(item, then.get(name, item)) for name, item in now.items()]


def _spec(obj: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": {}, "spec": obj.get("spec") or {}}
