"""Whether a rendered object has what Pulumi's engine or provider takes for its own.

What stands in a manifest itself is refused when that is read; a template or a text of JSON may make it still."""

from collections.abc import Container, Iterable, Iterator

from ..findings import Problem
from ..kubernetes.engine_values import engine_problems, steers
from ..kubernetes.model import Manifest
from .made import Made


def engine_values(objects: Iterable[Made], allowed: Container[str]) -> Iterator[tuple[Manifest, Problem]]:
    """An error for each value, and each annotation that nobody has allowed."""
    for made in objects:
        for problem in engine_problems(made.object):
            message = f"{made.key.kind} {made.key.name} {problem.message} ({problem.path})"
            yield made.manifest, Problem(made.field, message, code=problem.code)
        for name in filter(lambda name: steers(name, allowed), made.object["metadata"].get("annotations") or ()):
            message = (
                f"{made.key.kind} {made.key.name} would have the annotation {name}, by which Pulumi's provider"
                " is steered: take it out"
            )
            yield made.manifest, Problem(made.field, message, code="engine-value")
