"""LoRA adapters: their folders in the pod, their claims, and the engine's flags.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_lora.go at v0.20.0-rc0.
Decisions: K17 (docs/decisions).
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...engines.vllm import serving
from . import names, serve
from .context import Service
from .pods import MAIN, Pod, change_container, container, with_generated

ROOT = "/mnt/lora"
SCHEMES = ("hf", "s3", "pvc")


def claim_and_path(uri: str) -> tuple[str, str]:
    """Split ``pvc://claim/some/path`` into claim and path."""
    claim, _, path = uri.removeprefix("pvc://").partition("/")
    return claim, path


class Adapter(NamedTuple):
    name: str
    uri: str
    path: str


def adapters(service: Service) -> tuple[Adapter, ...]:
    """The adapters, sorted by name. If names map to the same folder, further folders get a number."""
    named: list[Adapter] = []
    taken: dict[str, int] = {}
    lora = service.spec.model.lora
    for adapter in sorted(lora.adapters if lora else [], key=lambda item: item.name):
        folder = re.sub(r"[^A-Za-z0-9._-]", "-", adapter.name)
        folder = _free("adapter" if folder in (".", "..") else folder, taken)
        named.append(Adapter(adapter.name, adapter.uri, f"{ROOT}/{folder}"))
    return tuple(named)


def _free(folder: str, taken: dict[str, int]) -> str:
    """The folder's name, with the next free number if it is taken. ``taken`` has the last number of each name."""
    free = folder
    while free in taken:
        taken[folder] += 1
        free = f"{folder}-{taken[folder]}"
    taken[free] = 1
    return free


def with_claims(pod: Pod, mounted: Sequence[Adapter], service: Service) -> Pod:
    """Mount the adapters that are on claims. Each claim gets one volume: with two, the pod would never start."""
    volumes = {
        volume["persistentVolumeClaim"]["claimName"]: volume["name"]
        for volume in pod.get("volumes", [])
        if "persistentVolumeClaim" in volume
    }
    mounts: list[dict[str, Any]] = []
    claims: dict[str, str] = {}
    for adapter in mounted:
        if not adapter.uri.startswith("pvc://"):
            continue
        claim, path = claim_and_path(adapter.uri)
        name = re.sub(r"[^a-z0-9-]", "-", adapter.name.lower()).strip("-")[:54].rstrip("-")
        volume = claims[claim] = volumes.setdefault(claim, f"lora-pvc-{name or 'adapter'}")
        mount = {"name": volume, "mountPath": adapter.path, "readOnly": True, **({"subPath": path} if path else {})}
        mounts.insert(0, mount)
    if not mounts:
        return pod
    added = [{"name": name, "persistentVolumeClaim": {"claimName": claim}} for claim, name in claims.items()]
    return with_generated(pod, {"containers": [{"name": MAIN, "volumeMounts": mounts}], "volumes": added})


def with_flags(pod: Pod, service: Service) -> Pod:
    """Put the engine's flags in front of the user's arguments, unless these name adapters themselves."""
    served = adapters(service)
    server = container(pod)
    if not served or server is None or serve.has_flag(server, serving.LORA_MODULES):
        return pod
    flags = _flags(served, service)
    return change_container(pod, lambda item: {**item, "args": [*flags, *item.get("args", [])]})


def _flags(served: Sequence[Adapter], service: Service) -> list[str]:
    modules = []
    for adapter in served:
        for name in (adapter.name, names.publisher_model(service.namespace, adapter.name)):
            module = json.dumps({"name": name, "path": adapter.path}, separators=(",", ":"))
            modules.append(f"'{module}'")
    lora = service.spec.model.lora
    limits = {field: getattr(lora, field) for field in ("maxRank", "maxAdapters", "maxCpuAdapters")}
    if limits["maxRank"] is not None:
        limits["maxRank"] = serving.lora_rank(limits["maxRank"])
    return serving.lora(modules, {field: limit for field, limit in limits.items() if limit is not None})
