"""Finds what an API server or Pulumi would refuse in rendered objects, whatever family made them.

A manifest's own values are checked when it is read. Here the values that are only passed on, or come from a template,
are checked as well. An API server silently drops fields that its schema does not have: an autoscaler loses its window.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..findings import Problem
from ..kubernetes.api_fields import field_problems
from ..kubernetes.api_rules import rule_problems
from ..kubernetes.engine_values import engine_problems, steers
from ..kubernetes.existing import Passed
from ..kubernetes.metadata import is_dns_label, is_object_name, name_problems
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from .places import place_of_path

MOST_OF_ONE = 1_500_000
"""Characters of one object: more than an API server stores."""
MOST = 200_000_000
"""Characters of all objects of a stack."""


def too_large(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each object that is too large for an API server, and one if all together exceed a stack's limit."""
    total = 0
    for record in objects:
        size = _characters(record.body)
        total += size
        if size > MOST_OF_ONE:
            message = f"would make {record.key} with {size} characters, more than an API server stores: say less in it"
            yield record.source, Problem(record.field, message, code="too-large")
        if total > MOST:
            message = f"makes, with the objects before it, more than {MOST} characters; split this stack into several"
            yield record.source, Problem("", message, code="too-large")
            return


def _characters(value: Any) -> int:
    count, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            count += len(item)
        elif isinstance(item, dict):
            count += sum(map(len, item))
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return count


def bad_names(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each object with a bad name, unless the name of its manifest is already reported as bad."""
    for record in objects:
        key, manifest = record.key, record.source.manifest
        good = is_object_name(key.api_version, key.name) and (not key.namespace or is_dns_label(key.namespace))
        if not good and not any(name_problems(manifest.metadata, manifest.apiVersion)):
            message = f"would make {key}, a name that the API server refuses; choose a shorter or simpler name"
            yield record.source, Problem("metadata.name", message, code="bad-name")


def engine_values(objects: Iterable[RenderedObject], allowed: Container[str]) -> Iterator[tuple[Source, Problem]]:
    """An error for each value that Pulumi takes for an internal one, and for each annotation that is not allowed."""
    for record in objects:
        for problem in engine_problems(record.body):
            message = f"{record.key.kind} {record.key.name} {problem.message} ({problem.path})"
            yield record.source, Problem(record.field, message, code=problem.code)
        for name in filter(lambda name: steers(name, allowed), record.body["metadata"].get("annotations") or ()):
            message = (
                f"{record.key.kind} {record.key.name} would have the annotation {name}, by which Pulumi's provider"
                " is steered: take it out"
            )
            yield record.source, Problem(record.field, message, code="engine-value")


_SPECS = {
    "HTTPRoute": "HTTPRoute.spec",
    "HorizontalPodAutoscaler": "HorizontalPodAutoscalerSpec",
    "ScaledObject": "ScaledObject.spec",
}
"""Kinds whose objects have parts of manifests that no model describes, with the types of their specs."""


def other_shapes(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each field or value that the object's API does not take.

    Objects that are passed through unchanged are checked by the API server.
    """
    for record in objects:
        kind = _SPECS.get(record.key.kind)
        if kind is None or isinstance(record.source.manifest, Passed):
            continue
        spec = record.body.get("spec")
        for problem in [*field_problems(spec, kind, "spec"), *rule_problems(record.key.kind, spec)]:
            message = f"{problem.message} ({problem.path} of {record.key.kind} {record.key.name})"
            yield record.source, replace(problem, path=place_of_path(record, problem.path), message=message)
