"""What a family's rendering gives: Kubernetes objects, grouped by the component that registers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..findings import Problem
from .model import defaults
from .propagation import Propagation
from .startup import StartupSettings
from .status import ServiceStatus

Object = dict[str, Any]
"""A Kubernetes object as a plain mapping, the way its YAML reads."""


class TypedObjectReference(NamedTuple):
    """An object as others refer to it, by its API group (empty for the core group) whatever the version."""

    group: str
    kind: str
    namespace: str
    name: str


class Key(NamedTuple):
    """What makes an object one and the same in a cluster."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def reference(self) -> TypedObjectReference:
        return TypedObjectReference(self.api_version.rpartition("/")[0], self.kind, self.namespace, self.name)


def key(obj: Mapping[str, Any]) -> Key:
    metadata = obj["metadata"]
    return Key(obj["apiVersion"], obj["kind"], metadata.get("namespace", ""), metadata["name"])


class Certificate(NamedTuple):
    """A self-signed certificate for the TLS Secret of role ``role``, made when the Secret is registered: rendering
    always gives the same, and a key must not be printed.

    ``names`` and ``addresses`` (IP) are those it is good for, ``expiration`` is the annotation that says until when.
    ``is_live``: the one in the cluster is kept, as pods trust it that were taken over.
    """

    role: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    expiration: str
    is_live: bool = False


class KnownClaim(NamedTuple):
    """A claim that a service mounts and makes, or would make: its access mode, and how to get one for several nodes."""

    mode: str
    advice: str


@dataclass(frozen=True)
class Rendered:
    """Everything that one component registers.

    ``objects`` and ``parts`` (components inside this one) are by role: the role ends the child's Pulumi name, so it
    never changes for an object that stays the same. ``shared`` objects belong to the stack: several services may bring
    the same one. ``chart`` objects do too, and are those that an operator's chart would have installed beside it
    (PriorityClasses); ``render PATH`` leaves them out. ``observe`` turns the live ``status`` of the workloads, by role
    (a part's as ``part/role``), into the service's status. ``layers`` says where the labels and annotations of an
    object come from, by role, for families that propagate them. ``after`` are objects of another service of the stack
    that must be ready before this one is registered (a benchmark's target). ``fields`` are the paths of the manifest's
    fields that an object is made of, by role, for findings about the object, and ``replicas`` is the one that says how
    many pods there are. ``claims`` are those that the service makes, by name. ``retained`` are the shared
    objects that stay in the cluster when the stack no longer has them (downloaded models). ``startup`` says how long
    pods that don't start are waited for.
    """

    component: str
    kind: str
    namespace: str
    name: str
    objects: Mapping[str, Object]
    observe: Callable[[Mapping[str, Mapping[str, Any]]], ServiceStatus] | None = None
    parts: Mapping[str, Rendered] = field(default_factory=dict)
    shared: tuple[Object, ...] = ()
    chart: tuple[Object, ...] = ()
    problems: tuple[Problem, ...] = ()
    layers: Mapping[str, Propagation] = field(default_factory=dict)
    after: tuple[Key, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    replicas: str = "metadata.name"
    claims: Mapping[str, KnownClaim] = field(default_factory=dict)
    certificate: Certificate | None = None
    retained: frozenset[Key] = frozenset()
    startup: StartupSettings = field(default_factory=lambda: defaults(StartupSettings))

    def objects_with_fields(self) -> Iterator[tuple[Object, str]]:
        """Every object with the manifest's field that it is made of, else ``metadata.name``."""
        for role, obj in self.objects.items():
            yield obj, self.fields.get(role, "metadata.name")
        for part in self.parts.values():
            yield from part.objects_with_fields()

    def with_objects(self, change: Callable[[Object], Object]) -> Rendered:
        """The same with every object of its own and of its parts changed; not the shared ones."""
        objects = {role: change(obj) for role, obj in self.objects.items()}
        return replace(self, objects=objects, parts={role: p.with_objects(change) for role, p in self.parts.items()})

    def all_objects(self) -> Iterator[Object]:
        """Own objects and those of the parts; not the shared ones."""
        yield from self.objects.values()
        for part in self.parts.values():
            yield from part.all_objects()
