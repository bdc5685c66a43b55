"""Fields that a live object can't change: found before an update, which would have to replace the object.

A workload under a fixed name that is replaced is an outage, and a claim that is replaced has lost its data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.objects import Object
from ..kubernetes.quantities import amount
from ..kubernetes.values import value_at

IMMUTABLE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Deployment": (("spec", "selector"),),
    "LeaderWorkerSet": (("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"),),
    "PersistentVolumeClaim": (("spec", "accessModes"), ("spec", "storageClassName"), ("spec", "volumeName")),
}
"""Kind to the fields that an API server refuses to change."""

_STORAGE = ("spec", "resources", "requests", "storage")


def changed_fields(obj: Object, live: Mapping[str, Any]) -> list[str]:
    """The immutable fields in which a rendered object differs from the live one. What is not rendered is left alone."""
    pairs = ((path, value_at(obj, *path), value_at(live, *path)) for path in IMMUTABLE.get(obj["kind"], ()))
    return [".".join(path) for path, wanted, there in pairs if wanted is not None and wanted != there]


def shrunk_storage(obj: Object, live: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """For a claim that would become smaller: the live size and the wanted one."""
    if obj["kind"] != "PersistentVolumeClaim":
        return
    wanted, there = value_at(obj, *_STORAGE), value_at(live, *_STORAGE)
    if isinstance(wanted, str) and isinstance(there, str) and amount(wanted) < amount(there):
        yield there, wanted
