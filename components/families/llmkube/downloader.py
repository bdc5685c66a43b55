"""The init containers: one sets the group of the cache's root, one downloads the model.

Both run a shell script of :mod:`.scripts` in curl's image. Values of the service are passed as the same
environment variables as in LLMKube; other values are assigned before the script.

Mirrors defilantech/LLMKube internal/controller/model_storage.go at v0.9.19.
Decisions: L6 (docs/decisions).
"""

import re
from typing import Any

from . import scripts
from .context import Context
from .security import cache_owner, pod_security
from .sources import HUGGING_FACE

CA_VOLUME, CA_PATH = "custom-ca-cert", "/custom-certs"
HOST_VOLUME, HOST_PATH = "host-model", "/host-model/model.gguf"
IMAGE_USER = 100
"""User and group of curl's image."""

_HUB = re.compile(r"https?://[A-Za-z0-9.:/_-]+")
_REMOTE = frozenset(["http", "repository"])


def init_containers(service: Context) -> list[dict[str, Any]]:
    """In execution order; empty if nothing is downloaded."""
    filled = [each for each in service.models if each.storage.is_filled]
    cached = [each for each in filled if each.storage.kind == "cache"]
    prepare = cached[:1] if service.settings.prepareModelCache else []
    return [*map(_preparation, prepare), *map(_download, filled)]


def volumes(service: Context) -> list[dict[str, Any]]:
    """Volumes that only the downloader mounts."""
    mounted: list[dict[str, Any]] = []
    if service.storage.kind == "cache" and service.source.kind == "local":
        mounted.append({"name": _host_volume(service), "hostPath": {"path": service.source.path, "type": "File"}})
    if service.storage.is_filled and service.settings.caCertConfigMap:
        mounted.append({"name": CA_VOLUME, "configMap": {"name": service.settings.caCertConfigMap}})
    return mounted


def _host_volume(service: Context) -> str:
    return f"{service.prefix}{HOST_VOLUME}"


def _container(service: Context, name: str, script: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": service.settings.initContainerImage,
        "command": ["sh", "-c", script],
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _preparation(service: Context) -> dict[str, Any]:
    """Makes the cache writable for the downloader, which requires uid 0 on a fresh volume."""
    user, group = cache_owner(service)
    owner, mode = (f"{user}:{group}", "g+rwX") if user or group else (f"{IMAGE_USER}:{IMAGE_USER}", "770")
    return {
        **_container(service, "model-cache-prep", scripts.prepare(owner, mode)),
        "volumeMounts": [service.storage.mount],
        "securityContext": {
            "runAsUser": 0,
            **({"runAsNonRoot": False} if pod_security(service).get("runAsNonRoot") else {}),
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "FOWNER"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }


def _download(service: Context) -> dict[str, Any]:
    secret = service.model.spec.sourceSecretRef
    pod = pod_security(service)
    return {
        **_container(service, f"{service.prefix}model-downloader", scripts.download(_variant(service))),
        "env": _env(service),
        **({"envFrom": [{"secretRef": {"name": secret.name}}]} if secret and secret.name else {}),
        "volumeMounts": _mounts(service),
        "securityContext": {
            **{field: pod[field] for field in ("runAsUser", "runAsGroup") if field in pod},
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": False,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def _variant(service: Context) -> scripts.Variant:
    source = service.source.kind
    several = bool(service.storage.files)
    return scripts.Variant(
        origin="http" if source in _REMOTE else "s3" if source == "s3" else "node",
        several=several,
        cached=service.storage.kind == "cache",
        on_change=service.model.spec.refreshPolicy == "OnChange" and (several or source in _REMOTE),
        ca_bundle=bool(service.settings.caCertConfigMap),
        sha256="" if several else (service.model.spec.sha256 or "").lower(),
        hub=_hub(service),
    )


def _hub(service: Context) -> str:
    """Mirror of Hugging Face (``HF_ENDPOINT``) that the server uses; empty if none."""
    mirror = next((each.value for each in service.spec.env if each.name == "HF_ENDPOINT"), None)
    return mirror.rstrip("/") if isinstance(mirror, str) and _HUB.fullmatch(mirror) else ""


def _env(service: Context) -> list[dict[str, Any]]:
    storage, source = service.storage, service.source
    several = bool(storage.files)
    place = source.base_url if several and source.kind == "repository" else source.text
    if hub := _hub(service):
        place = place.replace(f"{HUGGING_FACE}/", f"{hub}/", 1)
    values = {
        "MODEL_SOURCE": place,
        "CACHE_DIR": storage.directory,
    }
    values |= {"MODEL_FILES": "\n".join(storage.files)} if several else {"MODEL_PATH": storage.file}
    if source.kind == "s3":
        values |= {"S3_BUCKET": source.place, "S3_PREFIX" if several else "S3_KEY": source.path}
    return [{"name": name, "value": value} for name, value in values.items()]


def _mounts(service: Context) -> list[dict[str, Any]]:
    paths = {_host_volume(service): HOST_PATH, CA_VOLUME: CA_PATH}
    extra = [{"name": v["name"], "mountPath": paths[v["name"]], "readOnly": True} for v in volumes(service)]
    return [service.storage.mount, *extra]
