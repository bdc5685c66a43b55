"""Whose an object in the cluster is: the mark that a stack leaves on what it makes, and how to read it.

The mark is the field manager of server-side apply, which the API server keeps beside the fields. Pulumi's choice
is a random name for each resource, kept in the state only: what a killed run had made would stay under a name that
nobody knows, and its fields could never be removed again. One name for a stack has no such leftovers.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object, key

PREFIX = "modelservices:"
KEEPS = "modelservices/keeps"
"""Annotation of an owner object: the object that it keeps."""

_MANAGER_LENGTH = 128  # the API server's limit
_NAME_LENGTH = 63


def manager(organization: str, project: str, stack: str) -> str:
    """The field manager of a stack."""
    name = f"{PREFIX}{organization}/{project}/{stack}"
    return name if len(name) <= _MANAGER_LENGTH else f"{name[: _MANAGER_LENGTH - 9]}-{_digest(name)}"


def owners(metadata: Mapping[str, Any]) -> list[str]:
    """The field managers of the stacks that made an object, by its live metadata; empty when no stack did."""
    managers = [entry.get("manager", "") for entry in metadata.get("managedFields", [])]
    return [name for name in managers if name.startswith(PREFIX)]


def owner_object(obj: Object, manager: str) -> Object:
    """An object by which a stack keeps one that it shares with other stacks (a PriorityClass).

    The kept object is owned by the owner objects of all stacks that use it: Kubernetes' garbage collector removes it
    with the last of them, whichever stack made it. They are of the same kind, so that nobody needs further permissions.
    """
    kept = key(obj).name
    place = re.sub("[^a-z0-9]+", "-", manager.removeprefix(PREFIX).lower()).strip("-")
    name = f"{kept}.{place[: _NAME_LENGTH - 9].rstrip('-')}-{_digest(manager)}"
    return {**obj, "metadata": {"name": name, "annotations": {KEEPS: kept}}}


def is_owner_object(obj: Mapping[str, Any]) -> bool:
    return KEEPS in (obj["metadata"].get("annotations") or {})


def is_kept(metadata: Mapping[str, Any]) -> bool:
    """Whether stacks keep this object, as its live metadata says."""
    name = metadata.get("name")
    return any(entry.get("name", "").startswith(f"{name}.") for entry in metadata.get("ownerReferences", []))


def owner_reference(owner: Object, live: Mapping[str, Any]) -> dict[str, Any]:
    """What a kept object says of its owner object, whose live metadata this is.

    ``blockOwnerDeletion``: an owner object is gone only when this is settled.
    """
    identity = key(owner)
    return {
        "apiVersion": identity.api_version,
        "kind": identity.kind,
        "name": live["name"],
        "uid": live["uid"],
        "blockOwnerDeletion": True,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
