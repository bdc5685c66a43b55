"""How large the rendered objects are: manifests say once what many objects then have."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source

MOST_OF_ONE = 1_500_000
"""Characters of an object: more than an API server stores."""
MOST = 200_000_000
"""Characters of all objects of a stack."""


def too_large(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """An error for each object that no API server stores, and one where all of them are more than a stack may have."""
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
