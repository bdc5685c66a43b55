"""Records of rendered objects, as tests of what reads them need them."""

from collections.abc import Iterable, Mapping
from typing import Any

from modelservices.kubernetes.model import Manifest
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.propagation import Propagation
from modelservices.kubernetes.rendered import RenderedComponent, RenderedObject, owned_records
from modelservices.kubernetes.source import Document, Source


def source(manifest: Manifest) -> Source:
    return Source(manifest, Document("x.yaml", 1, 1, {}))


def single(owner: Source, *objects: Object) -> list[RenderedObject]:
    """Objects that belong to no service."""
    return [RenderedObject("", obj, owner, field="spec", replicas="spec") for obj in objects]


def component(
    owner: Source, objects: Mapping[str, Object] | Iterable[RenderedObject], **fields: Any
) -> RenderedComponent:
    """A service with some objects, by role or as records."""
    records = owned_records(objects) if isinstance(objects, Mapping) else tuple(objects)
    manifest = owner.manifest
    return RenderedComponent("C", manifest.kind, manifest.namespace, manifest.name, records, **fields).of(owner)


def shared(found: RenderedComponent) -> tuple[Object, ...]:
    """What a service brings for all services of its stack."""
    return tuple(record.body for record in found.records if record.lifetime in ("shared", "retained"))


def chart(found: RenderedComponent) -> tuple[Object, ...]:
    """What a service brings that an operator's chart would have installed."""
    return tuple(record.body for record in found.records if record.lifetime == "chart")


def layers(found: RenderedComponent) -> dict[str, Propagation]:
    """Where labels come from, by role."""
    return {record.role: record.layers for record in found.records if record.layers}
