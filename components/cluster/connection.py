"""The connection to the live cluster, for the preflight and the commands, of which ``adopt`` and ``recover`` change it.

It uses the provider's settings: ``kubernetes:kubeconfig`` and ``kubernetes:context`` of the stack's config, or else
``KUBECONFIG`` and the user's kubeconfig. The client library is imported late: most commands never need it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

from ..findings import brief
from ..kubernetes.objects import Key, Object, key
from .http import OF_API, Answer, HTTPError, NoAnswerOfAPI, Request, api_answer, limits_of, object_of

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class ClusterError(Exception):
    """The cluster can't be reached or refuses a request; the message says why in one line.

    The message may quote a pod or an admission webhook, so it is escaped here.
    """

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


class Unreachable(ClusterError):
    """The cluster can't be reached."""


class Refused(ClusterError):
    """The API server answered with an error. ``status`` is its HTTP status, ``reason`` its message."""

    def __init__(self, status: int, reason: str, request: str) -> None:
        self.status = status
        self.reason = brief(reason)
        super().__init__(f"the API server answered {status} to {request}: {reason}")


class Lookup(NamedTuple):
    """The wanted objects that exist, and the reasons why others can't be read."""

    objects: Mapping[Key, Mapping[str, Any]]
    refused: Mapping[Key, str]


class Cluster:
    """A connection: the cluster's kinds, the state of objects, and changes to one object."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    def connect(cls, kubeconfig: str | None = None, context: str | None = None) -> Cluster:
        """Connect as the Pulumi provider would. Raises Unreachable."""
        from kubernetes import config

        try:
            if kubeconfig and "\n" in kubeconfig:
                client = config.new_client_from_config_dict(yaml.safe_load(kubeconfig), context=context)
            else:
                path = str(Path(kubeconfig).expanduser()) if kubeconfig else None
                client = config.new_client_from_config(config_file=path, context=context)
        except Exception as error:
            raise Unreachable(f"no usable kubeconfig: {error}") from error
        return cls(client)

    def get(self, path: str, accept: str = _JSON) -> Mapping[str, Any] | None:
        """The JSON at a path of the API server, or None if nothing is there. Raises ClusterError."""
        try:
            return self._send("GET", path, {"Accept": accept})
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise

    def said(self, path: str, seconds: float) -> Mapping[str, Any]:
        """The JSON of a server behind the API server, which must answer within ``seconds``. Raises ClusterError."""
        return _json(self._answered("GET", path, {"Accept": _JSON}, seconds=seconds), f"GET {path}")

    def text(self, path: str) -> str:
        """Plain text at a path of the API server: a log. Raises ClusterError."""
        return self._answered("GET", path, {"Accept": "*/*"}).decode(errors="replace")

    def _object(self, path: str, accept: str = _JSON) -> Mapping[str, Any] | None:
        obj = self.get(path, accept)
        if obj is not None and "name" not in obj.get("metadata", {}):
            raise Refused(200, "an object without a name", f"GET {path}")
        return obj

    def get_metadata(self, path: str) -> Mapping[str, Any] | None:
        """The metadata of a list's objects, or None if there is no such list. Raises ClusterError."""
        return self.get(path, _METADATA_LIST)

    def delete(self, identity: Key, uid: str) -> None:
        """Delete an object, unless another one has its name by now. Raises ClusterError."""
        body = {"preconditions": {"uid": uid}, "propagationPolicy": "Background"}
        path = f"{self._path(identity)}/{quote(identity.name, safe='')}"
        self._send("DELETE", path, {"Accept": _JSON, "Content-Type": _JSON}, body)

    def apply(self, obj: Object, manager: str, *, dry_run: bool) -> Mapping[str, Any]:
        """Server-side apply with force. Returns the resulting object. Raises ClusterError."""
        query = f"fieldManager={quote(manager)}&force=true{'&dryRun=All' if dry_run else ''}"
        # JSON is valid YAML.
        return self.patch(key(obj), json.dumps(obj), "application/apply-patch+yaml", query)

    def patch(self, identity: Key, body: Any, content_type: str, query: str = "") -> Mapping[str, Any]:
        """Change an object. Returns the resulting object. Raises ClusterError."""
        path = f"{self._path(identity)}/{quote(identity.name, safe='')}?{query}"
        return self._send("PATCH", path, {"Accept": _JSON, "Content-Type": content_type}, body)

    def lines(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[str]:
        """Post JSON and yield the lines of the answer as they arrive. Raises ClusterError."""
        headers = {"Accept": f"text/event-stream, {_JSON}", "Content-Type": _JSON}
        answer = None
        try:
            answer = self._call("POST", path, headers, body, seconds)
            for line in answer.lines():
                yield line.decode(errors="replace").rstrip("\r")
        except HTTPError as error:
            raise _unanswered(path, error) from None
        finally:
            if answer is not None:
                answer.close()

    def _call(
        self, method: str, path: str, headers: Mapping[str, str], body: Any = None, seconds: float | None = None
    ) -> Answer:
        """A successful answer whose content is not read yet. Raises HTTPError and ClusterError."""
        limits = limits_of(path)
        limits = limits if seconds is None else replace(limits, seconds=seconds)
        _, url, headers, _, _ = self._client.param_serialize(
            method, path, header_params=dict(headers), auth_settings=["BearerToken"]
        )
        content = body if body is None or isinstance(body, str) else json.dumps(body)
        answer = Answer(self._client.rest_client.pool_manager, Request(method, url, headers, content), limits)
        if not 200 <= answer.status < 300:
            data = answer.data() if answer.status >= 400 else b""
            answer.close()
            raise Refused(answer.status, _message(answer, data), f"{method} {path.partition('?')[0]}")
        return answer

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: Any = None) -> Mapping[str, Any]:
        return _json(self._answered(method, path, headers, body), f"{method} {path}")

    def _answered(
        self, method: str, path: str, headers: Mapping[str, str], body: Any = None, seconds: float | None = None
    ) -> bytes:
        try:
            return self._call(method, path, headers, body, seconds).data()
        except HTTPError as error:
            raise _unanswered(path, error) from None

    @lru_cache(maxsize=64)  # noqa: B019 - a connection lives as long as the program
    def resources(self, api_version: str) -> Mapping[str, str]:
        """Kind to plural name for one API version; empty if the cluster does not serve it."""
        answer = self.get(f"{_root(api_version)}")
        resources = (answer or {}).get("resources", [])
        return {entry["kind"]: entry["name"] for entry in resources if "/" not in entry["name"]}

    def read(self, identity: Key) -> Mapping[str, Any] | None:
        """An object as it is now, or None."""
        path = self._path(identity)
        return self._object(f"{path}/{quote(identity.name, safe='')}") if path else None

    def metadata(self, identities: Iterable[Key]) -> Lookup:
        """The metadata of those objects that exist. Raises ClusterError."""
        return self._find(identities, _METADATA, _METADATA_LIST)

    def objects(self, identities: Iterable[Key]) -> Lookup:
        """Those objects that exist. Raises ClusterError."""
        return self._find(identities, _JSON, _JSON)

    def _find(self, identities: Iterable[Key], one: str, many: str) -> Lookup:
        groups: dict[tuple[str, str, str], list[Key]] = {}
        for identity in identities:
            groups.setdefault(identity[:3], []).append(identity)
        objects: dict[Key, Mapping[str, Any]] = {}
        refused: dict[Key, str] = {}
        for group in groups.values():
            self._find_group(group, one, many, objects, refused)
        return Lookup(objects, refused)

    def _find_group(
        self, group: list[Key], one: str, many: str, objects: dict[Key, Mapping[str, Any]], refused: dict[Key, str]
    ) -> None:
        """Add the objects of one kind and namespace to ``objects``, and the reasons of refusals to ``refused``.

        Uses one list request, or one request each if the user may not list them.
        """
        path = self._path(group[0])
        if path is None:
            return
        listed = self._list(path, many) if len(group) > 1 else None
        for identity in group:
            try:
                name = identity.name
                obj = self._object(f"{path}/{quote(name, safe='')}", one) if listed is None else listed.get(name)
            except Refused as refusal:
                refused[identity] = self._refusal(identity, refusal)
            else:
                # The items of a list lack apiVersion and kind.
                objects |= {identity: {"apiVersion": identity.api_version, "kind": identity.kind, **obj}} if obj else {}

    def _list(self, path: str, accept: str) -> dict[str, Mapping[str, Any]] | None:
        """The objects at a path by name, or None if the user may not list them (each may still be readable)."""
        try:
            items = (self.get(path, accept) or {}).get("items") or []
        except Refused:
            return None
        return {item["metadata"]["name"]: item for item in items}

    def _refusal(self, identity: Key, refusal: Refused) -> str:
        if refusal.status != 403:
            return str(refusal)
        group = f".{identity.api_version.partition('/')[0]}" if "/" in identity.api_version else ""
        where = f"in namespace {identity.namespace}" if identity.namespace else "in the cluster"
        plural = self.resources(identity.api_version)[identity.kind]
        return f"this user lacks the right to get {plural}{group} {where}"

    def _path(self, identity: Key) -> str | None:
        """The path of a kind's objects in a namespace, or None if the cluster does not know the kind."""
        plural = self.resources(identity.api_version).get(identity.kind)
        where = f"/namespaces/{quote(identity.namespace, safe='')}" if identity.namespace else ""
        return f"{_root(identity.api_version)}{where}/{plural}" if plural else None


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _json(data: bytes, request: str) -> Mapping[str, Any]:
    try:
        # Servers behind the API server answer with any JSON object.
        return object_of(data) if "/proxy/" in request else api_answer(data)
    except NoAnswerOfAPI as reason:
        raise Refused(200, str(reason), request) from None


def _unanswered(path: str, error: HTTPError) -> Unreachable:
    who = "the API server" if limits_of(path) is OF_API else "what stands behind the API server"
    return Unreachable(f"{who} does not answer ({error})")


def _message(answer: Answer, data: bytes) -> str:
    if answer.status < 400:
        return "a redirect, which is not followed"
    try:
        answered = object_of(data)
    except NoAnswerOfAPI:
        return answer.reason
    error = answered.get("error")
    said = answered.get("message") or (error.get("message") if isinstance(error, Mapping) else error)
    return said if isinstance(said, str) else answer.reason
