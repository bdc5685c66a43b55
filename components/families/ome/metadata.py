"""Labels and annotations of OME's manifests: checks, the labels that every object of OME should have, and the
documented keys of models and runtimes, which act on the services that use them; those of a service take precedence."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...findings import Problem
from ...kubernetes import metadata
from ...kubernetes.model import Manifest, ObjectMeta
from ...ome_keys import keys
from ...ome_keys.flags import path_of
from ...ome_keys.pod_template import VARIABLES
from ...ome_keys.validation import STANDARD
from ...ome_keys.vocabulary import effective_keys, vocabulary
from .settings import OMESettings


def metadata_problems(stated: ObjectMeta) -> Iterator[Problem]:
    """Problems that the API server would report, except those of OME's documented keys."""
    documented = vocabulary().entries
    return (problem for problem in metadata.metadata_problems(stated) if problem.key not in documented)


MANAGER = "modelservices"


def standard_labels(component: str, owner: str, version: str) -> dict[str, Any]:
    labels = {keys.MANAGED_BY: MANAGER, keys.COMPONENT: component, keys.PART_OF: owner, keys.VERSION: version}
    return {str(key): value for key, value in labels.items()}


LABELS = frozenset([keys.MODEL_NAME, keys.MODEL_TYPE, keys.MODEL_VENDOR, keys.MODEL_FORMAT, keys.MODEL_SIZE])
"""Labels of a model that the objects and pods of its services also get."""

_ABOUT_ITSELF = frozenset([*STANDARD, keys.LAST_APPLIED_CONFIGURATION, keys.RESOURCE_VERSION])


def keys_for_pods(manifest: Manifest | None, settings: OMESettings) -> dict[str, Any]:
    return {key: value for key, value in _effective(manifest, settings).items() if key in VARIABLES}


def model_labels(model: Manifest | None, settings: OMESettings) -> dict[str, Any]:
    return {key: value for key, value in _effective(model, settings).items() if key in LABELS}


def idle_key_problems(manifest: Manifest, settings: OMESettings) -> Iterator[Problem]:
    """Warns about keys of a model or runtime without effect. Keys that describe the object itself are fine."""
    for key in _effective(manifest, settings):
        if key not in VARIABLES and key not in LABELS and key not in _ABOUT_ITSELF:
            message = f"has no effect on a {manifest.kind}; write it on the services that use it"
            yield Problem(path_of(key), message, "warning", "no-effect")


def _effective(manifest: Manifest | None, settings: OMESettings) -> Mapping[str, Any]:
    if manifest is None:
        return {}
    effective = effective_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
    entries = vocabulary().entries
    return {key: value for key, value in effective.items() if entries[key].belongs_on(manifest.kind)}
