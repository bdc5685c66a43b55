"""Which stack made an object in the cluster: the mark that a stack leaves on its objects, and how to read it.

The mark is the field manager of server-side apply, which the API server keeps beside the fields. Pulumi's default
is a random name for each resource, kept in the state only. What a killed run made would stay under a name that nobody
knows, and its fields could never be removed. One name for the whole stack avoids that.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object, key

PREFIX = "modelservices:"
KEEPS = "modelservices/keeps"
"""Annotation of an owner object that names the object it keeps."""

_MANAGER_LENGTH = 128  # the API server's limit
_NAME_LENGTH = 63


def manager(organization: str, project: str, stack: str) -> str:
    """The field manager of a stack."""
    name = f"{PREFIX}{organization}/{project}/{stack}"
    return name if len(name) <= _MANAGER_LENGTH else f"{name[: _MANAGER_LENGTH - 9]}-{_digest(name)}"


def owners(metadata: Mapping[str, Any]) -> list[str]:
    """The field managers of the stacks that made an object, from its live metadata; empty if no stack did."""
    managers = [entry.get("manager", "") for entry in metadata.get("managedFields", [])]
    return [name for name in managers if name.startswith(PREFIX)]


def owner_object(obj: Object, manager: str) -> Object:
    """An owner object, by which a stack keeps an object that it shares with other stacks (a PriorityClass).

    The owner objects of all stacks that use the kept object own it. Kubernetes' garbage collector removes it with the
    last of them, whichever stack made it. Owner objects have its kind, so no further permissions are needed.
    """
    kept = key(obj).name
    place = re.sub("[^a-z0-9]+", "-", manager.removeprefix(PREFIX).lower()).strip("-")
    name = f"{kept}.{place[: _NAME_LENGTH - 9].rstrip('-')}-{_digest(manager)}"
    return {**obj, "metadata": {"name": name, "annotations": {KEEPS: kept}}}


def is_owner_object(obj: Mapping[str, Any]) -> bool:
    return KEEPS in (obj["metadata"].get("annotations") or {})


def is_kept(metadata: Mapping[str, Any]) -> bool:
    """Whether stacks keep this object, according to its live metadata."""
    name = metadata.get("name")
    return any(entry.get("name", "").startswith(f"{name}.") for entry in metadata.get("ownerReferences", []))


def owner_reference(owner: Object, live: Mapping[str, Any]) -> dict[str, Any]:
    """The reference from a kept object to its owner object, whose live metadata is ``live``.

    With ``blockOwnerDeletion`` an owner object is gone only when this reference is resolved.
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
