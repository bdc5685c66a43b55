"""Objects that a stack made and has lost track of: they have its field manager but are in neither its state nor its
manifests.

An update that is killed before it writes the state leaves such objects. An object that is still in the manifests is not
an orphan: the next update applies it again, as the same field manager, and records it in the state.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..kubernetes.objects import Key
from ..kubernetes.values import mapping, mappings
from .connection import Cluster, Refused
from .ownership import owners

DATA = frozenset(["Namespace", "PersistentVolumeClaim"])
"""Kinds that are never deleted here, because their contents would be lost."""
_PASSING = frozenset(["Event"])


class Orphan(NamedTuple):
    """An object, and the uid that proves it is still the same one when it is deleted."""

    identity: Key
    uid: str


def orphans(cluster: Cluster, mark: str, known: Iterable[Key]) -> list[Orphan]:
    """All objects in the cluster with the field manager ``mark`` that are not known, sorted. Raises ClusterError.

    One request for each kind of the cluster. Kinds that this user may not list are left out.
    """
    # The same object appears in every version of its API.
    expected = {identity.reference for identity in known}
    marked = {orphan.identity.reference: orphan for orphan in _marked(cluster, mark)}
    return sorted(orphan for reference, orphan in marked.items() if reference not in expected)


def _marked(cluster: Cluster, mark: str) -> Iterator[Orphan]:
    for api_version, kind, path in _listable(cluster):
        for metadata in _listed(cluster, path):
            if mark in owners(metadata):
                identity = Key(api_version, kind, metadata.get("namespace", ""), metadata["name"])
                yield Orphan(identity, metadata["uid"])


def _listed(cluster: Cluster, path: str) -> Iterator[Mapping[str, Any]]:
    try:
        answer = cluster.get_metadata(path)
    except Refused as refusal:
        if refusal.status not in (403, 405):
            raise
        return
    yield from (mapping(item.get("metadata")) for item in mappings(mapping(answer).get("items")))


def _listable(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """API version, kind and path of all resources that can be listed, in the cluster's preferred versions."""
    groups = mappings(mapping(cluster.get("/apis")).get("groups"))
    versions = [mapping(group.get("preferredVersion")).get("groupVersion") for group in groups]
    for api_version in ["v1", *(version for version in versions if isinstance(version, str))]:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        for entry in mappings(mapping(cluster.get(root)).get("resources")):
            if "/" not in entry["name"] and "list" in (entry.get("verbs") or ()) and entry["kind"] not in _PASSING:
                yield api_version, entry["kind"], f"{root}/{entry['name']}"
