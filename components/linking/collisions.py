"""Two manifests that would make one and the same object, or that want one and the same port of the nodes."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key
from ..kubernetes.values import mappings, value_at
from ..manifests.reading import object_name
from .made import Made


def collisions(objects: Iterable[Made]) -> Iterator[tuple[Manifest, Problem]]:
    """An error for each object that is made twice, said once for each pair of manifests. Two manifests of one name are
    an error already."""
    owners: dict[Key, Manifest] = {}
    said: set[tuple[int, int]] = set()
    for made in objects:
        manifest = made.manifest
        other = owners.setdefault(made.key, manifest)
        if other is manifest or (id(other), id(manifest)) in said:
            continue
        if _identity(other) != _identity(manifest):
            said.add((id(other), id(manifest)))
            message = f"would make {made.key}, which {object_name(other)} also makes; rename one of them"
            yield manifest, Problem("metadata.name", message, code="name-collision")


def node_ports(objects: Iterable[Made]) -> Iterator[tuple[Manifest, Problem]]:
    """An error for each port of the nodes that a second Service asks for: the API server gives it to one only."""
    owners: dict[tuple[Any, Any], Manifest] = {}
    for made in objects:
        for port in mappings(value_at(made.object, "spec", "ports")) if made.key.kind == "Service" else ():
            number, manifest = port.get("nodePort"), made.manifest
            wanted = (number, port.get("protocol") or "TCP")
            if number and (other := owners.setdefault(wanted, manifest)) is not manifest:
                message = (
                    f"requests the node port {number}, which {object_name(other)} already uses; choose another port"
                )
                yield manifest, Problem("spec", message, code="port-collision")


def _identity(manifest: Manifest) -> Key:
    """In whichever version of its API a manifest has the object."""
    return Key(manifest.apiVersion.partition("/")[0], manifest.kind, manifest.namespace, manifest.name)
