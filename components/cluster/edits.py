"""Differences between a manifest and its custom resource in the cluster."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.values import mapping
from .differences import unmet_paths

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def edits(manifest: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    """Paths of the spec in which a manifest and its custom resource differ, in both directions.

    Defaults of the CRD are no difference. Fields that only the custom resource has count if they are items of lists, or
    if `kubectl apply` recorded them as stated.
    """
    stated, there = _spec(manifest), _spec(live)
    return sorted({*unmet_paths(stated, there), *_added(stated, live)})


def _added(stated: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[str]:
    yield from (path for path in unmet_paths(_spec(live), stated) if path.endswith("]"))
    applied = mapping(live["metadata"].get("annotations")).get(_LAST_APPLIED)
    try:
        before = mapping(json.loads(applied)) if isinstance(applied, str) else {}
    except ValueError:
        return
    yield from unmet_paths(_spec(before), stated)


def _spec(obj: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": {}, "spec": obj.get("spec") or {}}
