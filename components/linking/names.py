"""Whether every rendered object has a name and a namespace that an API server takes, whatever family made it."""

from collections.abc import Iterator

from ..families import Plan
from ..findings import Problem
from ..kubernetes.metadata import is_dns_label, is_object_name, name_problems
from ..kubernetes.model import Manifest
from ..kubernetes.objects import key


def bad_names(plan: Plan) -> Iterator[tuple[Manifest, Problem]]:
    """An error for each object that has a bad name, unless the manifest's own name is bad and said to be."""
    for manifest, obj in plan.made():
        made = key(obj)
        good = is_object_name(made.api_version, made.name) and (not made.namespace or is_dns_label(made.namespace))
        if not good and not any(name_problems(manifest.metadata, manifest.apiVersion)):
            message = f"would make {made}, a name that no API server takes: choose a shorter or simpler name"
            yield manifest, Problem("metadata.name", message, code="bad-name")
