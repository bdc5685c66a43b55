"""Manifests that would make the same object, or that want the same node port."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key
from ..kubernetes.rendered import RenderedComponent, RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mappings, value_at
from ..manifests.reading import described


def collisions(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each pair of manifests that make the same object. Two manifests of one name are an error already."""
    owners: dict[Key, Source] = {}
    said: set[tuple[Source, Source]] = set()
    for record in objects:
        source = record.source
        other = owners.setdefault(record.key, source)
        if other is source or (other, source) in said:
            continue
        if _identity(other.manifest) != _identity(source.manifest):
            said.add((other, source))
            message = f"would make {record.key}, which {described(other.manifest)} also makes; rename one of them"
            yield source, Problem("metadata.name", message, code="name-collision")


def node_ports(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each node port that a second Service requests: the API server gives it to only one."""
    owners: dict[tuple[Any, Any], Source] = {}
    for record in objects:
        for port in mappings(value_at(record.body, "spec", "ports")) if record.key.kind == "Service" else ():
            number, source = port.get("nodePort"), record.source
            wanted = (number, port.get("protocol") or "TCP")
            if number and (other := owners.setdefault(wanted, source)) is not source:
                message = (
                    f"requests the node port {number}, which {described(other.manifest)} already uses; "
                    "choose another port"
                )
                yield source, Problem("spec", message, code="port-collision")


def pulumi_names(services: Iterable[RenderedComponent]) -> Iterator[tuple[Source, Problem]]:
    """An error for a service whose objects would have the Pulumi names of another service's.

    A child is named by its component and its role, so `x` with a `tokenizer-deployment` collides with the deployment of
    `x-tokenizer`.
    """
    owners: dict[tuple[str, ...], Source] = {}
    said: set[tuple[Source, Source]] = set()
    for service in services:
        source = service.source
        for name in _children(service, f"{service.namespace}/{service.name}", service.component):
            other = owners.setdefault(name, source)
            same = other is source or _identity(other.manifest) == _identity(source.manifest)
            if same or (other, source) in said:
                continue
            said.add((other, source))
            message = (
                f"would register {name[1]} {name[-1]}, as {described(other.manifest)} does: Pulumi takes each "
                "name once, so rename one of them"
            )
            yield source, Problem("metadata.name", message, code="name-collision")


def _children(service: RenderedComponent, name: str, types: str) -> Iterator[tuple[str, ...]]:
    for role, obj in service.objects.items():
        yield types, f"{obj['apiVersion']} {obj['kind']}", f"{name}-{role}"
    for role, part in service.parts.items():
        yield types, part.component, f"{name}-{role}"
        yield from _children(part, f"{name}-{role}", f"{types}${part.component}")


def _identity(manifest: Manifest) -> Key:
    """The object of a manifest, regardless of its API version."""
    return Key(manifest.apiVersion.partition("/")[0], manifest.kind, manifest.namespace, manifest.name)
