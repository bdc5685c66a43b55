"""What a manifest says and its custom resource in the cluster does not, and the reverse: changes that are due."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.values import mapping
from .differences import unmet_paths

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def edits(manifest: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
    """The fields of a manifest's spec that its custom resource has otherwise, and those that only that one has.

    Defaults of its definition are no difference: of what only the custom resource has, items of lists count, and what
    `kubectl apply` noted as stated.
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
