"""Whether every rendered object has a name and a namespace that an API server takes, whatever family made it."""

from collections.abc import Iterable, Iterator

from ..findings import Problem
from ..kubernetes.metadata import is_dns_label, is_object_name, name_problems
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source


def bad_names(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each object that has a bad name, unless the name of the manifest is bad and said to be."""
    for record in objects:
        key, manifest = record.key, record.source.manifest
        good = is_object_name(key.api_version, key.name) and (not key.namespace or is_dns_label(key.namespace))
        if not good and not any(name_problems(manifest.metadata, manifest.apiVersion)):
            message = f"would make {key}, a name that the API server refuses; choose a shorter or simpler name"
            yield record.source, Problem("metadata.name", message, code="bad-name")
