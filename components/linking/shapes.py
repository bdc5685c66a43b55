"""Whether parts of manifests that are only handed on fit the API of the object that they end in.

An API server leaves out what its schema does not have, and nobody is told: an autoscaler without its window, a route
without its filter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..findings import Problem
from ..kubernetes.api_fields import field_problems
from ..kubernetes.existing import Passed
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from .places import place_of_field

_SPECS = {
    "HTTPRoute": "HTTPRoute.spec",
    "HorizontalPodAutoscaler": "HorizontalPodAutoscalerSpec",
    "ScaledObject": "ScaledObject.spec",
}
"""Kinds whose objects have parts of manifests that no model describes, and the types of their specs."""


def other_shapes(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each field or value that the object's API does not have. What is passed on as it stands is judged
    by the API server."""
    for record in objects:
        kind = _SPECS.get(record.key.kind)
        if kind is None or isinstance(record.source.manifest, Passed):
            continue
        for problem in field_problems(record.body.get("spec"), kind, "spec"):
            message = f"{problem.message} ({problem.path} of {record.key.kind} {record.key.name})"
            names = [part.partition("[")[0] for part in reversed(problem.path.split("."))]
            yield record.source, replace(problem, path=place_of_field(record, names), message=message)
