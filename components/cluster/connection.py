"""Reading the live cluster, for the preflight and for ``status``. Nothing here writes.

The connection is the provider's own: ``kubernetes:kubeconfig`` and ``kubernetes:context`` of the stack's config, else
``KUBECONFIG`` and the user's kubeconfig. The client library is imported late: most commands never need it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from ..kubernetes.objects import Key

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_MANY = 8
"""From so many objects of a kind and namespace on, one list is cheaper than a request for each."""


class Unreachable(Exception):
    """The cluster can't be read; the message says why in one line."""


class Forbidden(Unreachable):
    """The cluster answers, but does not let this user read it."""


class Cluster:
    """A connection that answers two questions: which kinds there are, and what objects say now."""

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
        client.configuration.retries = False
        return cls(client)

    def get(self, path: str, accept: str = _JSON) -> Mapping[str, Any] | None:
        """The JSON at a path of the API server, or None where there is nothing. Raises Unreachable."""
        import urllib3

        request = self._client.param_serialize(
            "GET", path, header_params={"Accept": accept}, auth_settings=["BearerToken"]
        )
        try:
            response = self._client.call_api(*request, _request_timeout=(5, 30))
            response.read()
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"the API server does not answer ({type(error).__name__})") from error
        if response.status == 404:
            return None
        if response.status >= 400:
            refusal = Forbidden if response.status == 403 else Unreachable
            raise refusal(f"the API server answered {response.status} {response.reason} to GET {path}")
        return json.loads(response.data)

    @lru_cache(maxsize=64)  # noqa: B019 - a connection lives as long as the program
    def resources(self, api_version: str) -> Mapping[str, str]:
        """Kind to the plural name of its path, for one API version; empty where the cluster does not have it."""
        found = self.get(f"{_root(api_version)}")
        resources = (found or {}).get("resources", [])
        return {entry["kind"]: entry["name"] for entry in resources if "/" not in entry["name"]}

    def read(self, identity: Key) -> Mapping[str, Any] | None:
        """An object as it is now, or None."""
        path = self._path(identity)
        return self.get(f"{path}/{identity.name}") if path else None

    def scheduling_messages(self, namespace: str, labels: Mapping[str, str]) -> list[str]:
        """Why pods with these labels could not be scheduled, as the scheduler says it. Raises Unreachable."""
        selector = quote(",".join(f"{name}={value}" for name, value in sorted(labels.items())))
        pods = (self.get(f"/api/v1/namespaces/{namespace}/pods?labelSelector={selector}") or {}).get("items", [])
        conditions = (condition for pod in pods for condition in pod.get("status", {}).get("conditions", []))
        return [
            condition.get("message", "")
            for condition in conditions
            if condition["type"] == "PodScheduled" and condition["status"] == "False"
        ]

    def metadata(self, identities: Iterable[Key]) -> dict[Key, Mapping[str, Any]]:
        """The metadata of those of the objects that are there. Raises Unreachable."""
        found = self._find(identities, _METADATA, _METADATA_LIST)
        return {identity: obj["metadata"] for identity, obj in found.items()}

    def objects(self, identities: Iterable[Key]) -> dict[Key, Mapping[str, Any]]:
        """Those of the objects that are there. Raises Unreachable."""
        return self._find(identities, _JSON, _JSON)

    def _find(self, identities: Iterable[Key], one: str, many: str) -> dict[Key, Mapping[str, Any]]:
        groups: dict[tuple[str, str, str], list[Key]] = {}
        for identity in identities:
            groups.setdefault(identity[:3], []).append(identity)
        found = (self._find_group(group, one, many) for group in groups.values())
        return {identity: obj for objects in found for identity, obj in objects.items()}

    def _find_group(self, group: list[Key], one: str, many: str) -> dict[Key, Mapping[str, Any]]:
        """Objects of one kind and namespace."""
        path = self._path(group[0])
        if path is None:
            return {}
        if len(group) >= _MANY:
            try:
                items = (self.get(path, many) or {}).get("items") or []
            except Forbidden:  # who may read each object may not always list them
                pass
            else:
                named = {item["metadata"]["name"]: item for item in items}
                return {identity: named[identity.name] for identity in group if identity.name in named}
        found = {identity: self.get(f"{path}/{identity.name}", one) for identity in group}
        return {identity: answer for identity, answer in found.items() if answer}

    def _path(self, identity: Key) -> str | None:
        """Where the objects of a kind and namespace stand, or None where the cluster does not know the kind."""
        plural = self.resources(identity.api_version).get(identity.kind)
        where = f"/namespaces/{identity.namespace}" if identity.namespace else ""
        return f"{_root(identity.api_version)}{where}/{plural}" if plural else None


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
