"""How the model reaches a pod: downloaded (hf, s3), mounted (pvc) or in a container beside the server (oci).

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_storage.go at v0.20.0-rc0.
Decisions: K8, K23 (docs/decisions).
"""

import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from . import credentials, lora
from .context import Service
from .flag_values import MODEL_PATH
from .pods import MAIN, Pod, change_container, container, with_env, with_generated

INITIALIZER = "storage-initializer"
LOCATION = "kserve-provision-location"
CLAIM = "kserve-pvc-source"
MODELCAR = "modelcar"
SCHEMES = ("hf", "s3", "pvc", "oci")

HUB_URI = re.compile(r"hf://[^/@:\s]+/[^/@:\s]+([@:][^/@:\s]+)?")
"""A repository of a hub with an optional revision, as the storage initializer accepts it."""
_LOCAL_MODEL = "internal.serving.kserve.io/localmodel"
_HF_ENV = (
    {"name": "HF_HUB_ENABLE_HF_TRANSFER", "value": "1"},
    {"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"},
    {"name": "HF_XET_NUM_CONCURRENT_RANGE_GETS", "value": "8"},
)


class Download(NamedTuple):
    uri: str
    path: str


def model_uri(service: Service) -> str:
    """The model's URI; for a model in KServe's model cache, its path in the cache's claim."""
    uri = service.spec.model.uri or ""
    annotations = service.metadata.annotations
    source = annotations.get(f"{_LOCAL_MODEL}-sourceuri")
    claim = annotations.get(f"{_LOCAL_MODEL}-pvc-name")
    if _LOCAL_MODEL not in service.metadata.labels or not isinstance(source, str) or not isinstance(claim, str):
        return uri
    if source and claim and uri.startswith(source):
        cached = hashlib.sha256(source.encode()).hexdigest()[:16]
        return f"pvc://{claim}/models/{cached}/{uri.removeprefix(source).lstrip('/')}"
    return uri


def scheme(uri: str) -> str:
    return uri.partition("://")[0]


def with_model(pod: Pod, service: Service, account: str, path: str = MODEL_PATH, *, adapters: bool = True) -> Pod:
    """The pod with the model at ``path`` of its main container. ``account`` is the account whose Secrets hold
    credentials."""
    if not enabled(service):
        return _without_idle_download(pod)
    uri = model_uri(service)
    loaded = lora.adapters(service) if adapters else ()
    downloads = [Download(a.uri, a.path) for a in loaded if scheme(a.uri) in ("hf", "s3")]
    if scheme(uri) == "pvc":
        pod = with_generated(pod, _claim(uri, path))
    elif scheme(uri) == "oci":
        pod = _modelcar(pod, uri, path, service)
    else:
        downloads.insert(0, Download(uri, MODEL_PATH))
    pod = _initializer(pod, downloads, path, service, account) if downloads else _without_idle_download(pod)
    return lora.with_claims(pod, loaded, service) if loaded else pod


def _without_idle_download(pod: Pod) -> Pod:
    """Without a download, remove changes of its container: they have no image, so they are no valid container."""
    kept = [item for item in pod.get("initContainers", []) if item["name"] != INITIALIZER or item.get("image")]
    rest = {key: value for key, value in pod.items() if key != "initContainers"}
    return {**rest, **({"initContainers": kept} if kept else {})}


def enabled(service: Service) -> bool:
    storage = service.spec.storageInitializer
    return storage is None or storage.enabled is not False


def _claim(uri: str, path: str) -> Pod:
    claim, sub_path = lora.claim_and_path(uri)
    mount = {"name": CLAIM, "mountPath": path, "readOnly": True, **({"subPath": sub_path} if sub_path else {})}
    return {
        "containers": [{"name": MAIN, "volumeMounts": [mount]}],
        "volumes": [{"name": CLAIM, "persistentVolumeClaim": {"claimName": claim}}],
    }


def _initializer(pod: Pod, downloads: Sequence[Download], path: str, service: Service, account: str) -> Pod:
    """One init container for all downloads, with one volume for all their paths."""
    several, mounts = [download.path for download in downloads], (container(pod) or {}).get("volumeMounts", [])
    mounted_at = next((mount["mountPath"] for mount in mounts if mount["name"] == LOCATION), "")
    place = _common_parent(several) if len(several) > 1 else several[0]
    place = mounted_at if mounted_at and scheme(model_uri(service)) == "oci" else place
    settings = service.settings.storageInitializer
    initializer = {
        "name": INITIALIZER,
        "image": settings.image,
        "resources": _resources(settings.cpuRequest, settings.memoryRequest, settings.cpuLimit, settings.memoryLimit),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": LOCATION, "mountPath": place}],
    }
    mounted = path if several == [MODEL_PATH] else place
    mounts = [] if mounted_at else [{"name": LOCATION, "mountPath": mounted, "readOnly": True}]
    generated = {
        "initContainers": [initializer],
        "containers": [{"name": MAIN, "volumeMounts": mounts}],
        "volumes": [{"name": LOCATION, "emptyDir": {}}],
    }
    pod = with_generated(pod, generated)
    pod = change_container(pod, lambda item: _controlled(item, downloads), INITIALIZER, "initContainers")
    env = [*credentials.env(service, account, [d.uri for d in downloads])]
    if any(scheme(download.uri) == "hf" for download in downloads):
        env += _HF_ENV
    env += _confidential_env(service)
    return credentials.with_bundle(with_env(pod, env, INITIALIZER, "initContainers"), settings, INITIALIZER)


def _confidential_env(service: Service) -> list[dict[str, Any]]:
    confidential = service.spec.model.confidential
    if confidential is None or not confidential.enabled:
        return []
    key = confidential.resourceId
    resource = [{"name": "CONFIDENTIAL_RESOURCE_ID", "value": key}] if key else []
    return [{"name": "CONFIDENTIAL_ENABLED", "value": "true"}, *resource]


def downloads(service: Service) -> list[str]:
    uris = [model_uri(service), *(adapter.uri for adapter in lora.adapters(service))]
    return [uri for uri in uris if scheme(uri) in ("hf", "s3")] if enabled(service) else []


def _controlled(item: Mapping[str, Any], downloads: Sequence[Download]) -> dict[str, Any]:
    """A user may change the download's image, resources and environment, not what it does. The initializer reads
    a repository's revision behind a colon; many write it behind an ``@``."""
    uris = [each.uri.replace("@", ":", 1) if HUB_URI.fullmatch(each.uri) else each.uri for each in downloads]
    args = [part for uri, download in zip(uris, downloads, strict=True) for part in (uri, download.path)]
    return {**{key: value for key, value in item.items() if key != "command"}, "args": args}


def _common_parent(paths: Sequence[str]) -> str:
    shared = set.intersection(*(set(PurePosixPath(path).parents) for path in paths))
    return str(max(shared, key=lambda parent: len(parent.parts)))


def _resources(cpu: Any, memory: Any, cpu_limit: Any, memory_limit: Any) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu_limit, "memory": memory_limit}}


def _modelcar(pod: Pod, uri: str, path: str, service: Service) -> Pod:
    """The model's image as a container beside the server, which sees its files through the shared process namespace."""
    settings = service.settings.storageInitializer
    cpu, memory = settings.cpuModelcar, settings.memoryModelcar
    image = uri.removeprefix("oci://")
    common = {
        "image": image,
        "resources": _resources(cpu, memory, cpu, memory),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    user = {"runAsUser": settings.uidModelcar}
    mount = {"name": LOCATION, "mountPath": str(PurePosixPath(path).parent)}
    beside = {"securityContext": user, "volumeMounts": [mount]}
    # ``$$`` is one dollar for the shell: Kubernetes expands it in arguments.
    link = f"ln -sf /proc/$$$$/root/models {path} && sleep infinity"
    env = [{"name": "MODEL_INIT_MODE", "value": "async"}]
    # The server reads the files through the modelcar's process, which only the same user may do.
    stated = (container(pod, MODELCAR) or {}).get("securityContext", {})
    user |= {"runAsUser": stated["runAsUser"]} if "runAsUser" in stated else {}
    pod = change_container(pod, lambda item: {**item, "securityContext": {**item.get("securityContext", {}), **user}})
    generated = {
        "shareProcessNamespace": True,
        "initContainers": [{**common, "name": f"{MODELCAR}-init", "args": ["sh", "-c", _modelcar_check(image)]}],
        "containers": [
            {"name": MAIN, "env": env, **beside},
            {**common, "name": MODELCAR, "args": ["sh", "-c", link], **beside},
        ],
        "volumes": [{"name": LOCATION, "emptyDir": {}}],
    }
    return with_generated(pod, generated)


def _modelcar_check(image: str) -> str:
    what = shlex.quote(f"Pre-fetching modelcar {image}: ").replace("$", "$$")
    return (
        f'echo {what} && [ -d /models ] && [ "$$(ls -A /models)" ] && '
        "echo 'OK ... Prefetched and valid (/models exists)' || "
        "(echo 'NOK ... Prefetched but modelcar is invalid (/models does not exist or is empty)' && exit 1)"
    )
