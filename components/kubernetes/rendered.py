"""Result of a family's rendering: one record for each object, grouped by the component that registers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..findings import Problem
from .model import defaults
from .objects import Key, Object, key
from .propagation import Propagation
from .source import NO_SOURCE, Source
from .startup import StartupSettings
from .status import ServiceStatus

Lifetime = Literal["own", "shared", "retained", "chart"]
"""``own``: as long as its service. ``shared``: as long as any service of the stack has it. ``retained``: like
``shared``, but it stays in the cluster when the stack no longer has it (downloaded models). ``chart``: what an
operator's chart would have installed (PriorityClasses), shared with other stacks; ``render PATH`` leaves it out."""


class Certificate(NamedTuple):
    """A self-signed certificate for a TLS Secret, created when the Secret is registered.

    Rendering can't create it, because its output is always the same and must not contain a key. ``names`` and
    ``addresses`` (IP) are those that it is valid for, and ``expiration`` is the annotation with its expiry.
    ``is_live``: the certificate in the cluster is kept, because pods that were taken over trust it.
    """

    names: tuple[str, ...]
    addresses: tuple[str, ...]
    expiration: str
    is_live: bool = False


class KnownClaim(NamedTuple):
    """A claim that a service mounts and creates, or would create: its access mode, and how to get one for several
    nodes."""

    mode: str
    advice: str


@dataclass(frozen=True)
class RenderedObject:
    """One Kubernetes object. ``role`` ends the Pulumi name of a service's own object, so it never changes for an object
    that stays the same. ``field`` is the path of the manifest field that the object is made from, for findings about
    it, and ``replicas`` the path of the field with the number of pods. ``layers`` say where its labels and annotations
    come from, in families that propagate them."""

    role: str
    body: Object
    source: Source = NO_SOURCE
    field: str = "metadata.name"
    replicas: str = "metadata.name"
    layers: Propagation | None = None
    lifetime: Lifetime = "own"
    certificate: Certificate | None = None

    @cached_property
    def key(self) -> Key:
        return key(self.body)

    @property
    def kind(self) -> str:
        return self.body["kind"]

    def with_body(self, body: Object) -> RenderedObject:
        return self if body is self.body else replace(self, body=body)


@dataclass(frozen=True)
class RenderedComponent:
    """The name of a component and the records of what it registers; ``parts`` are components inside this one.

    ``observe`` computes the service's status from the live ``status`` of its workloads, by role (``part/role`` for a
    part's). ``after`` are objects of another service in the stack that must be ready before this one is registered (a
    benchmark's target). ``claims`` are those that the service creates, by name. ``startup`` says how long to wait for
    pods that don't start. ``builds_on`` are the other manifests that its objects are made from, named or not.
    """

    component: str
    kind: str
    namespace: str
    name: str
    records: tuple[RenderedObject, ...] = ()
    observe: Callable[[Mapping[str, Mapping[str, Any]]], ServiceStatus] | None = None
    parts: Mapping[str, RenderedComponent] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    after: tuple[Key, ...] = ()
    claims: Mapping[str, KnownClaim] = field(default_factory=dict)
    startup: StartupSettings = field(default_factory=lambda: defaults(StartupSettings))
    source: Source = NO_SOURCE
    builds_on: tuple[Key, ...] = ()

    @cached_property
    def objects(self) -> dict[str, Object]:
        """The component's own objects by role, without those of its parts."""
        return {record.role: record.body for record in self.records if record.lifetime == "own"}

    def flat(self) -> Iterator[RenderedObject]:
        """Every record: those of lifetime ``own``, including its parts', then those that it shares with others."""
        yield from self.owned()
        yield from (record for record in self.records if record.lifetime != "own")

    def owned(self) -> Iterator[RenderedObject]:
        """The records of lifetime ``own``, including those of its parts."""
        yield from (record for record in self.records if record.lifetime == "own")
        for part in self.parts.values():
            yield from part.owned()

    def all_objects(self) -> Iterator[Object]:
        """The bodies of the records of lifetime ``own``, including those of its parts."""
        return (record.body for record in self.owned())

    def changed(self, change: Callable[[RenderedObject], RenderedObject]) -> RenderedComponent:
        """The component with every record changed, including those of its parts."""
        parts = {role: part.changed(change) for role, part in self.parts.items()}
        return replace(self, records=tuple(map(change, self.records)), parts=parts)

    def with_objects(self, change: Callable[[Object], Object]) -> RenderedComponent:
        """The component with the bodies of its records of lifetime ``own`` changed."""
        return self.changed(
            lambda record: record.with_body(change(record.body)) if record.lifetime == "own" else record
        )

    def of(self, source: Source) -> RenderedComponent:
        """The component and its records with this source."""
        changed = self.changed(lambda record: replace(record, source=source))
        return replace(changed, source=source)


def owned_records(
    objects: Mapping[str, Object] | Iterable[tuple[str, Object]], *, replicas: str = "metadata.name"
) -> tuple[RenderedObject, ...]:
    """Records of objects that belong to one service, by role."""
    return tuple(RenderedObject(role, body, replicas=replicas) for role, body in dict(objects).items())


def with_layers(records: Iterable[RenderedObject], layers: Mapping[str, Propagation]) -> tuple[RenderedObject, ...]:
    return tuple(replace(record, layers=layers[record.role]) if record.role in layers else record for record in records)
