"""The rendered objects, with what the rules between services ask of each: worked out once for all of them."""

from collections.abc import Iterator
from typing import NamedTuple

from ..families import Plan
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key, Object, key


class Made(NamedTuple):
    """A rendered object and the manifest it comes from. ``field`` is the path of the manifest's field that the object
    is made of, ``replicas`` that of the one that says how many pods there are."""

    manifest: Manifest
    object: Object
    key: Key
    field: str
    replicas: str


def made(plan: Plan) -> list[Made]:
    """Every object of a plan: those of the services first, then the single ones."""
    return list(_made(plan))


def _made(plan: Plan) -> Iterator[Made]:
    for manifest, service in plan.services:
        for obj, path in service.objects_with_fields():
            yield Made(manifest, obj, key(obj), path, service.replicas)
    for manifest, obj in plan.objects:
        yield Made(manifest, obj, key(obj), "spec", "spec")
