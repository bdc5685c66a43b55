"""Fields that a live object can't change: looked for before an update, which would replace the object.

Pulumi compares with its own state, and the API server with what is there: here it is the live object, so a state that
was imported, restored or made anew hides nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.objects import Object
from ..kubernetes.quantities import amount
from ..kubernetes.scalars import Opaque
from ..kubernetes.values import value_at

IMMUTABLE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "ClusterRoleBinding": (("roleRef",),),
    "Deployment": (("spec", "selector"),),
    "LeaderWorkerSet": (("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"),),
    "PersistentVolumeClaim": (
        ("spec", "accessModes"),
        ("spec", "selector"),
        ("spec", "storageClassName"),
        ("spec", "volumeMode"),
        ("spec", "volumeName"),
    ),
    "RoleBinding": (("roleRef",),),
    "Secret": (("type",),),
    "Service": (("spec", "clusterIP"),),
    "StatefulSet": (
        ("spec", "podManagementPolicy"),
        ("spec", "selector"),
        ("spec", "serviceName"),
        ("spec", "volumeClaimTemplates"),
    ),
}
"""Kind to the fields that an API server refuses to change. Jobs are not among them: a job that changes runs again."""

COMPARED = frozenset([*IMMUTABLE, "ConfigMap"])
"""Kinds of objects that may have something that can't change."""

CONSEQUENCES: Mapping[str, str] = {
    "Deployment": ", an outage",
    "LeaderWorkerSet": ", an outage",
    "PersistentVolumeClaim": ", and what is in it lost",
    "StatefulSet": ", an outage",
}
"""What it means that an object of a kind is deleted and made again."""

_STORAGE = ("spec", "resources", "requests", "storage")


def changed_fields(obj: Object, live: Mapping[str, Any]) -> list[str]:
    """The immutable fields in which a rendered object differs from the live one. What is not rendered is left alone."""
    pairs = ((path, value_at(obj, *path), value_at(live, *path)) for path in IMMUTABLE.get(obj["kind"], ()))
    changed = [".".join(path) for path, wanted, there in pairs if wanted is not None and _differ(wanted, there)]
    return [*changed, *_immutable_data(obj, live)]


def _differ(wanted: Any, there: Any) -> bool:
    """A value that is known only after deployment can't be compared."""
    if isinstance(wanted, Mapping):
        theirs = there if isinstance(there, Mapping) else {}
        return wanted.keys() != theirs.keys() or any(_differ(value, theirs[name]) for name, value in wanted.items())
    return not isinstance(wanted, Opaque) and wanted != there


def _immutable_data(obj: Object, live: Mapping[str, Any]) -> Iterator[str]:
    """A ConfigMap or Secret that says it never changes stays like that."""
    if live.get("immutable") is True:
        yield from () if obj.get("immutable") is True else ("immutable",)
        changed = {name for name in ("data", "binaryData") if name in obj and obj[name] != live.get(name)}
        yield from sorted(changed)


def shrunk_storage(obj: Object, live: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """For a claim that would become smaller: the live size and the wanted one."""
    if obj["kind"] != "PersistentVolumeClaim":
        return
    wanted, there = value_at(obj, *_STORAGE), value_at(live, *_STORAGE)
    if isinstance(wanted, str) and isinstance(there, str) and amount(wanted) < amount(there):
        yield there, wanted
