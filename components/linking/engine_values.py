"""Whether a rendered object has what Pulumi's engine or provider takes for an internal value.

What stands in a manifest itself is refused when that is read; a template or a text of JSON may make it still."""

from collections.abc import Container, Iterable, Iterator

from ..findings import Problem
from ..kubernetes.engine_values import engine_problems, steers
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source


def engine_values(objects: Iterable[RenderedObject], allowed: Container[str]) -> Iterator[tuple[Source, Problem]]:
    """An error for each value, and each annotation that nobody has allowed."""
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
