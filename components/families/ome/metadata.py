"""Names, labels and annotations of OME's manifests, and the labels that every object of OME should have."""

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes import metadata
from ...kubernetes.model import ObjectMeta
from ...ome_keys import keys
from ...ome_keys.vocabulary import vocabulary


def metadata_problems(stated: ObjectMeta) -> Iterator[Problem]:
    """What the API server would refuse in keys that are not OME's documented ones."""
    documented = vocabulary().entries
    return (problem for problem in metadata.metadata_problems(stated) if problem.key not in documented)


MANAGER = "modelservices"


def standard_labels(component: str, owner: str, version: str) -> dict[str, Any]:
    """The four labels that every object of OME should have."""
    labels = {keys.MANAGED_BY: MANAGER, keys.COMPONENT: component, keys.PART_OF: owner, keys.VERSION: version}
    return {str(key): value for key, value in labels.items()}
