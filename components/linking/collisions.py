"""Two manifests that would make one and the same object."""

from collections.abc import Iterator

from ..families import Plan
from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key, key
from ..manifests.reading import object_name


def collisions(plan: Plan) -> Iterator[tuple[Manifest, Problem]]:
    """An error for each object that is made twice, said once for each pair of manifests. Two manifests of one name are
    an error already."""
    owners: dict[Key, Manifest] = {}
    said: set[tuple[int, int]] = set()
    for manifest, obj in plan.made():
        other = owners.setdefault(key(obj), manifest)
        pair = (id(other), id(manifest))
        if _identity(other) != _identity(manifest) and pair not in said:
            said.add(pair)
            message = f"would make {key(obj)}, which {object_name(other)} makes too: rename one of them"
            yield manifest, Problem("metadata.name", message, code="name-collision")


def _identity(manifest: Manifest) -> Key:
    return Key(manifest.apiVersion, manifest.kind, manifest.namespace, manifest.name)
