"""Drift that an apply alone can't repair: someone else's field that excludes one of the stack's.

The stack's manager first gets the field. Its next apply does not state the field and so removes it. Only metadata
changes until then.
"""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.exclusive import excluded
from ..kubernetes.list_keys import FieldPath
from ..kubernetes.objects import Object, key
from ..kubernetes.values import value_at
from .connection import Cluster, Refused
from .managed_fields import has, with_fields

_ATTEMPTS = 5
_LOOK = "-look"
_NAME_LENGTH = 50


def to_release(obj: Object, live: Mapping[str, Any], manager: str) -> list[FieldPath]:
    """The fields of a live object that exclude what the stack states and that its next apply would leave."""
    entries = live["metadata"].get("managedFields") or []
    applied = [entry for entry in entries if entry.get("manager") == manager and entry.get("operation") == "Apply"]
    others = [entry for entry in entries if entry not in applied]

    def is_left(path: FieldPath) -> bool:
        return any(has(entry.get("fieldsV1") or {}, path) for entry in others) or not any(
            has(entry.get("fieldsV1") or {}, path) for entry in applied
        )

    return [path for path in excluded(obj, live) if is_left(path)]


def release(obj: Object, cluster: Cluster, manager: str) -> None:
    """Take over the fields that exclude the stack's. Raises ClusterError."""
    identity = key(obj)
    for attempt in range(_ATTEMPTS):
        live = cluster.read(identity)
        paths = to_release(obj, live, manager) if live else []
        if not live or not paths:
            return
        metadata = live["metadata"]
        entries = with_fields(metadata["managedFields"], manager, identity.api_version, paths)
        changed = {"resourceVersion": metadata["resourceVersion"], "managedFields": entries}
        try:
            cluster.patch(identity, {"metadata": changed}, "application/merge-patch+json")
            return
        except Refused as refusal:
            if refusal.status != 409 or attempt == _ATTEMPTS - 1:
                raise


def after_update(obj: Object, live: Mapping[str, Any], cluster: Cluster, manager: str) -> Mapping[str, Any]:
    """The object that an update would produce, by a dry run. Raises ClusterError.

    A dry run can't release fields first. If that is needed, the dry run creates the object as a new one. Replicas that
    the object leaves to an autoscaler stay in both cases, as they do in an update, whoever owns them.
    """
    replicas = value_at(live, "spec", "replicas")
    if replicas is not None:
        obj = {**obj, "spec": {"replicas": replicas, **obj["spec"]}}
    if not to_release(obj, live, manager):
        return cluster.apply(obj, manager, dry_run=True)
    metadata = obj["metadata"]
    new = {**obj, "metadata": {**metadata, "name": f"{metadata['name'][:_NAME_LENGTH].rstrip('.-')}{_LOOK}"}}
    return {**cluster.apply(new, manager, dry_run=True), "metadata": live["metadata"]}
