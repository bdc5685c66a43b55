"""From manifests of this API to the objects that the cluster gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...kubernetes.model import Manifest
from .. import Plan
from .conversion import conversion_problems
from .objects import as_written, converted, following, moved_pools
from .pools import known_pools, unknown_pool
from .spec import ALPHA_GROUP, GROUP, AlphaInferencePool, InferenceObjective, InferencePool, InferencePoolImport

if TYPE_CHECKING:
    from ...planning.settings import Settings

KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    (f"{GROUP}/v1", "InferencePool"): InferencePool,
    (f"{ALPHA_GROUP}/v1alpha2", "InferencePool"): AlphaInferencePool,
    (f"{ALPHA_GROUP}/v1alpha2", "InferenceObjective"): InferenceObjective,
    (f"{ALPHA_GROUP}/v1alpha1", "InferencePoolImport"): InferencePoolImport,
}


def plan(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    """Each manifest of this API as one object, and a warning for an objective whose pool nobody knows."""
    convert = settings.inferenceExtension.convertPools
    pools = known_pools(manifests, settings.inferenceExtension)
    moved = moved_pools(manifests) if convert else frozenset()
    result = Plan()
    for manifest in manifests:
        if isinstance(manifest, InferenceObjective):
            obj = following(manifest, moved)
            result.objects.append((manifest, obj))
            result.problems += [(manifest, problem) for problem in unknown_pool(obj, pools)]
        elif isinstance(manifest, AlphaInferencePool) and convert:
            result.problems += [(manifest, problem) for problem in conversion_problems(manifest)]
            if manifest.spec:
                result.objects.append((manifest, converted(manifest, manifest.spec)))
        elif isinstance(manifest, InferencePool | AlphaInferencePool | InferencePoolImport):
            result.objects.append((manifest, as_written(manifest)))
    return result
