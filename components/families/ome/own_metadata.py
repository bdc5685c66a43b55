"""Names, labels and annotations of an OME manifest, without what the rules on its own keys say already."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Problem
from ...kubernetes import metadata
from ...kubernetes.model import ObjectMeta
from ...ome_keys.vocabulary import vocabulary


def metadata_problems(found: ObjectMeta) -> Iterator[Problem]:
    """What the API server would refuse in keys that are not OME's documented ones."""
    documented = vocabulary().entries
    return (problem for problem in metadata.metadata_problems(found) if problem.key not in documented)
