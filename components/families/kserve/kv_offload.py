"""Disk tiers of the KV cache: volumes, mounts and requested disk space. The engine's flag is in ``serve.py``.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_kvcache.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.quantities import amount, canonical
from ...kubernetes.scalars import Opaque
from .context import Workload
from .model_spec import SecondaryTier
from .pods import MAIN, Pod, change_container, container, with_generated


def with_tiers(pod: Pod, workload: Workload) -> Pod:
    kv = workload.spec.kvCacheOffloading
    if kv is None:
        return pod
    mounts = [_mount(index, tier) for index, tier in enumerate(kv.secondary)]
    volumes = [{"name": f"kv-cache-secondary-{index}", **_source(tier)} for index, tier in enumerate(kv.secondary)]
    pod = with_generated(pod, {"containers": [{"name": MAIN, "volumeMounts": mounts}], "volumes": volumes})
    disks = [tier.fileSystem.emptyDir for tier in kv.secondary if tier.fileSystem]
    sizes = [disk.size for disk in disks if disk]
    return change_container(pod, lambda item: _with_disk(item, sizes)) if sizes and container(pod) else pod


def _mount(index: int, tier: SecondaryTier) -> dict[str, Any]:
    mount = {"name": f"kv-cache-secondary-{index}", "mountPath": f"/mnt/kv-cache-{index}"}
    pvc = tier.fileSystem.pvc if tier.fileSystem else None
    return {**mount, "subPath": pvc.ref.path} if pvc and pvc.ref and pvc.ref.path else mount


def _source(tier: SecondaryTier) -> dict[str, Any]:
    disk = tier.fileSystem
    if disk and disk.emptyDir:
        return {"emptyDir": {"sizeLimit": disk.emptyDir.size}}
    if disk and disk.pvc and disk.pvc.ref:
        return {"persistentVolumeClaim": {"claimName": disk.pvc.ref.name}}
    return {"ephemeral": {"volumeClaimTemplate": {"spec": disk.pvc.spec if disk and disk.pvc else {}}}}


def _with_disk(item: dict[str, Any], sizes: list[Any]) -> dict[str, Any]:
    """Raise the request for ephemeral storage by the tiers on the node's disk."""
    resources = item.get("resources", {})
    requests = resources.get("requests", {})
    stated = [requests["ephemeral-storage"]] if "ephemeral-storage" in requests else []
    if any(isinstance(size, Opaque) for size in [*sizes, *stated]):
        return item
    total = sum(int(amount(size)) for size in [*sizes, *stated])
    text = canonical(f"{total // 1024}Ki") if total % 1024 == 0 else canonical(str(total))
    return {**item, "resources": {**resources, "requests": {**requests, "ephemeral-storage": text}}}
