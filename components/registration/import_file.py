"""The file for `pulumi import`, which puts the cluster's objects into a stack's state, so that previews compare.

Without it the first update after a take-over shows every object as created, although each is updated in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.rendered import RenderedComponent
from ..planning.plan import StackPlan
from .apply import provider_version, type_token
from .component import child_name, component_token, pulumi_name, shared_name

NOT_IMPORTED = frozenset(["Job", "JobSet", "Secret", "TrainJob"])
"""Kinds that the update adopts as it creates them. An imported job would be replaced because of what the cluster chose
for its run, and a Secret's values are the program's."""


class Resource(NamedTuple):
    """A resource as a stack registers it; ``identity`` is None for a component."""

    type: str
    name: str
    parent: Resource | None
    identity: Key | None


def import_file(plan: StackPlan, there: Collection[Key]) -> dict[str, Any]:
    """The content of the file, for those of a plan's objects that are in the cluster.

    Components come before their children. Components without children are left out.
    """
    objects = [resource for resource in _resources(plan) if resource.identity in there]
    components = dict.fromkeys(parent for resource in objects for parent in _parents(resource))
    return {"resources": [*({**_named(one), "component": True} for one in components), *map(_object, objects)]}


def _resources(plan: StackPlan) -> Iterator[Resource]:
    for obj in plan.shared:
        yield from _resource(shared_name(obj), obj, None)
    for service in plan.services:
        yield from _children(service, f"{service.namespace}/{service.name}", None)
    for obj in plan.objects:
        yield from _resource(pulumi_name(obj), obj, None)


def _children(service: RenderedComponent, name: str, parent: Resource | None) -> Iterator[Resource]:
    component = Resource(component_token(service), name, parent, None)
    for role, part in service.parts.items():
        yield from _children(part, child_name(name, role), component)
    for record in service.records:
        if record.lifetime == "own":
            yield from _resource(child_name(name, record.role), record.body, component)


def _resource(name: str, obj: Object, parent: Resource | None) -> Iterator[Resource]:
    if obj["kind"] not in NOT_IMPORTED:
        yield Resource(type_token(obj), name, parent, key(obj))


def _parents(resource: Resource) -> list[Resource]:
    return [*_parents(resource.parent), resource.parent] if resource.parent else []


def _object(resource: Resource) -> dict[str, Any]:
    assert resource.identity is not None
    _, _, namespace, name = resource.identity
    identifier = f"{namespace}/{name}" if namespace else name
    return {**_named(resource), "id": identifier, "version": provider_version()}


def _named(resource: Resource) -> dict[str, Any]:
    """``name`` is used only in the file and must be unique there; ``logicalName`` is Pulumi's name."""
    parent = {"parent": _unique(resource.parent)} if resource.parent else {}
    return {"type": resource.type, "name": _unique(resource), "logicalName": resource.name, **parent}


def _unique(resource: Resource) -> str:
    return f"{resource.type.rpartition(':')[2]} {resource.name}"
