"""Gives download containers the settings with which a server reaches the model's hub.

Users set tokens, proxies, mirrors and certificates on the server, but if an init container downloads the model, that
container needs them. What the download container sets itself takes precedence.

Decisions: downloads (docs/decisions).
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from .pod_edits import change_container, with_env, with_mounts
from .values import mappings

_DOWNLOADS = ("storage-initializer", "model-downloader", "draft-model-downloader", "model-unpack")
"""Init containers that download models, in any family."""
TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_STORAGE = re.compile(r"AWS_\w+|S3_\w+")
_CERTIFICATES = frozenset(["CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE"])
_WAYS = frozenset(["HF_ENDPOINT", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) | _CERTIFICATES
_NAMED = re.compile(r"\$\(([\w.-]+)\)")

Env = Sequence[Mapping[str, Any]]


def with_server_env(pod: Mapping[str, Any], server: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The pod, with the server's hub settings added to its download containers. ``server`` is a container of another
    pod that serves the same model; by default it is the pod's own server."""
    containers = mappings(pod.get("containers"))
    first = next((item for item in containers if item.get("name") == "main"), next(iter(containers), {}))
    volumes = {volume.get("name") for volume in mappings(pod.get("volumes"))}
    result = dict(pod)
    for name in _DOWNLOADS if pod.get("initContainers") else ():
        change = partial(_with_env_of, server=first if server is None else server, volumes=volumes)
        result = change_container(result, change, name, "initContainers")
    return result


def _with_env_of(download: dict[str, Any], server: Mapping[str, Any], volumes: Container[Any]) -> dict[str, Any]:
    wanted = list(_wanted(mappings(server.get("env")), mappings(download.get("env")), open_set="envFrom" in download))
    files = {str(entry.get("value")) for entry in wanted if entry["name"].upper() in _CERTIFICATES}
    mounts = [mount for mount in mappings(server.get("volumeMounts")) if mount.get("name") in volumes]
    download = _with_secrets_of(download, server)
    return with_mounts(
        with_env(download, wanted), [mount for mount in mounts if any(_is_in(file, mount) for file in files)]
    )


def _with_secrets_of(download: dict[str, Any], server: Mapping[str, Any]) -> dict[str, Any]:
    """The download with the Secrets that the server takes whole as its variables, if neither names a token."""
    named = {str(entry.get("name")) for item in (download, server) for entry in mappings(item.get("env"))}
    secrets = [source for source in mappings(server.get("envFrom")) if "secretRef" in source]
    has_credentials = not named.isdisjoint(TOKENS) or any(map(_STORAGE.fullmatch, named)) or "envFrom" in download
    return download if has_credentials or not secrets else {**download, "envFrom": secrets}


def _wanted(server: Env, download: Env, *, open_set: bool) -> Iterator[Mapping[str, Any]]:
    """The server's variables that a download needs. The server's credentials are left out if the download has
    credentials, or may have them from ``envFrom`` (``open_set``)."""
    names = {str(entry.get("name")) for entry in download}
    has_keys = any(map(_STORAGE.fullmatch, names))
    by_name = {str(entry.get("name")): entry for entry in server}
    needed = [name for name in by_name if name.upper() in _WAYS or (not has_keys and _STORAGE.fullmatch(name))]
    token = next((by_name[name] for name in TOKENS if name in by_name), None)
    if token and not open_set and names.isdisjoint(TOKENS):
        yield {**token, "name": TOKENS[0]}
    for name in needed:
        if not (open_set and _STORAGE.fullmatch(name)):
            yield from (by_name[one] for one in _with_named(name, by_name))


def _with_named(name: str, by_name: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A variable, preceded by the variables that its value references."""
    named = _NAMED.findall(str(by_name[name].get("value", "")))
    return [*(other for other in dict.fromkeys(named) if other in by_name and other != name), name]


def _is_in(file: str, mount: Mapping[str, Any]) -> bool:
    return f"{file}/".startswith(f"{str(mount.get('mountPath')).rstrip('/')}/")
