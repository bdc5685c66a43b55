"""The claim that OME's storage keys ask for."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.access_modes import is_of_one_node
from . import keys

Effective = Mapping[str, Any]

PATH = "/mnt/storage"
"""Where the claim is mounted."""


def claim_name(owner: str) -> str:
    """The claim of a service or job."""
    return f"{owner}-storage"


def storage_size(effective: Effective) -> Any:
    """The size of the claim that the keys ask for, or None where they ask for none."""
    return effective.get(keys.STORAGE_SIZE)


def claim(name: str, namespace: str, labels: Mapping[str, Any], effective: Effective) -> dict[str, Any] | None:
    """The claim that the storage keys ask for."""
    size = storage_size(effective)
    if size is None:
        return None
    spec: dict[str, Any] = {
        "accessModes": [effective.get(keys.STORAGE_ACCESS_MODE, "ReadWriteOnce")],
        "resources": {"requests": {"storage": size}},
    }
    if keys.STORAGE_CLASS in effective:
        spec["storageClassName"] = effective[keys.STORAGE_CLASS]
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def storage_problems(effective: Effective, pods: int) -> Iterator[Problem]:
    """A claim without a size, and one that several pods can't share."""
    path = "metadata.annotations"
    if storage_size(effective) is None:
        for key in (keys.STORAGE_CLASS, keys.STORAGE_ACCESS_MODE):
            if key in effective:
                message = f"{key} has no effect without {keys.STORAGE_SIZE}; add {keys.STORAGE_SIZE}"
                yield Problem(path, message, "warning", "no-claim")
    elif pods > 1 and is_of_one_node([effective.get(keys.STORAGE_ACCESS_MODE, "ReadWriteOnce")]):
        message = f"{pods} replicas can't share a ReadWriteOnce volume across nodes; write {keys.STORAGE_ACCESS_MODE}"
        yield Problem(path, f'{message}: "ReadWriteMany"', "warning", "shared-claim")
