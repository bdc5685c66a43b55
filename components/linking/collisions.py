"""Two manifests that would make one and the same object, or that want one and the same port of the nodes."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key, Rendered
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


def pulumi_names(services: Iterable[tuple[Manifest, Rendered]]) -> Iterator[tuple[Manifest, Problem]]:
    """An error for a service whose objects would have the Pulumi names of another one's: a child is called after its
    component and its role, so that `x` with a `tokenizer-deployment` meets the deployment of `x-tokenizer`."""
    owners: dict[tuple[str, ...], Manifest] = {}
    said: set[tuple[int, int]] = set()
    for manifest, service in services:
        for name in _children(service, f"{service.namespace}/{service.name}", service.component):
            other = owners.setdefault(name, manifest)
            if other is manifest or (id(other), id(manifest)) in said or _identity(other) == _identity(manifest):
                continue
            said.add((id(other), id(manifest)))
            message = (
                f"would register {name[1]} {name[-1]}, as {object_name(other)} does: Pulumi takes each name once, so "
                "rename one of them"
            )
            yield manifest, Problem("metadata.name", message, code="name-collision")


def _children(service: Rendered, name: str, types: str) -> Iterator[tuple[str, ...]]:
    """The types and the Pulumi name of each object of a component and of its parts."""
    for role, obj in service.objects.items():
        yield types, f"{obj['apiVersion']} {obj['kind']}", f"{name}-{role}"
    for role, part in service.parts.items():
        yield types, part.component, f"{name}-{role}"
        yield from _children(part, f"{name}-{role}", f"{types}${part.component}")


def _identity(manifest: Manifest) -> Key:
    """In whichever version of its API a manifest has the object."""
    return Key(manifest.apiVersion.partition("/")[0], manifest.kind, manifest.namespace, manifest.name)
