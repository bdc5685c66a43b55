"""Reads and edits live objects of the API server."""

from collections.abc import Mapping
from typing import Any

from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError
from kubernetes.dynamic.resource import ResourceList

# Objects that controllers, not stacks, create in every namespace.
_GIVEN = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
_PASSING = {"Event"}
_KUBERNETES = ("", "apps", "autoscaling", "batch", "policy", "networking.k8s.io", "rbac.authorization.k8s.io")
"""The API groups of its own kinds: only for these can lists be merged by the names of their items."""


def read(api: DynamicClient, api_version: str, kind: str, name: str, namespace: str | None = None) -> Any:
    """The object as a mapping, or None if it doesn't exist."""
    try:
        return api.resources.get(api_version=api_version, kind=kind).get(name=name, namespace=namespace).to_dict()
    except NotFoundError:
        return None


def read_live(api: DynamicClient, obj: Mapping[str, Any]) -> Any:
    """What there is of an object now, or None."""
    metadata = obj["metadata"]
    return read(api, obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"))


def edit(
    api: DynamicClient, api_version: str, kind: str, name: str, namespace: str, body: dict[str, Any], manager: str
) -> None:
    """Changes fields as `kubectl edit` does: the manager then owns them. Lists of built-in types are merged."""
    merge = "strategic-merge-patch" if api_version.rpartition("/")[0] in _KUBERNETES else "merge-patch"
    api.resources.get(api_version=api_version, kind=kind).patch(
        name=name,
        namespace=namespace,
        body=body,
        content_type=f"application/{merge}+json",
        field_manager=manager,
    )


def edit_live(api: DynamicClient, obj: Mapping[str, Any], body: dict[str, Any], manager: str) -> None:
    """Changes fields of an object as ``edit`` does."""
    metadata = obj["metadata"]
    edit(api, obj["apiVersion"], obj["kind"], metadata["name"], metadata["namespace"], body, manager)


def scale(api: DynamicClient, api_version: str, kind: str, name: str, namespace: str, replicas: int) -> None:
    """Sets the replicas of a workload as an autoscaler does."""
    resource = api.resources.get(api_version=api_version, kind=kind)
    resource.subresources["scale"].patch(
        name=name,
        namespace=namespace,
        body={"spec": {"replicas": replicas}},
        content_type="application/merge-patch+json",
        field_manager="kube-controller-manager",
    )


def objects(api: DynamicClient, namespace: str) -> set[tuple[str, str]]:
    """(kind, name) of all objects in a namespace, except those that controllers created."""
    return {(item["kind"], item["metadata"]["name"]) for item in everything(api, namespace) if not _is_owned(item)}


def everything(api: DynamicClient, namespace: str) -> list[dict[str, Any]]:
    """All objects in a namespace except events, including those that controllers created for other objects."""
    items = [item for resource in _kinds(api, namespaced=True) for item in _items(resource, namespace)]
    return [item for item in items if (item["kind"], item["metadata"]["name"]) not in _GIVEN]


def cluster_scoped(api: DynamicClient) -> list[dict[str, Any]]:
    """All cluster-scoped objects."""
    return [item for resource in _kinds(api, namespaced=False) for item in _items(resource, None)]


def _items(resource: Any, namespace: str | None) -> list[dict[str, Any]]:
    kind = {"apiVersion": resource.group_version, "kind": resource.kind}
    try:
        found = resource.get(namespace=namespace).items
    except NotFoundError:  # a kind that another test installed and has already removed
        return []
    return [item.to_dict() | kind for item in found]


def _kinds(api: DynamicClient, *, namespaced: bool) -> list[Any]:
    found = [r for r in api.resources.search(preferred=True) if not isinstance(r, ResourceList)]
    listable = [r for r in found if "list" in r.verbs and "/" not in r.name and r.kind not in _PASSING]
    return [r for r in listable if r.namespaced == namespaced]


def _is_owned(item: dict[str, Any]) -> bool:
    return bool(item["metadata"].get("ownerReferences")) or item["kind"] in ("Endpoints", "EndpointSlice")
