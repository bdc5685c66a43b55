"""Two manifests that would make one and the same object."""

from collections.abc import Iterable, Iterator

from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key
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
            message = f"would make {made.key}, which {object_name(other)} makes too: rename one of them"
            yield manifest, Problem("metadata.name", message, code="name-collision")


def _identity(manifest: Manifest) -> Key:
    return Key(manifest.apiVersion, manifest.kind, manifest.namespace, manifest.name)
