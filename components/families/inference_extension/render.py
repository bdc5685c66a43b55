"""From manifests of this API to the objects that the cluster gets."""

from collections.abc import Mapping, Sequence

from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, GROUP
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Key, Object
from ...kubernetes.rendered import RenderedObject
from ...kubernetes.source import Source, at, manifests_of
from .. import Plan, not_covered
from .objects import as_written, conversion_problems, converted, following, moved_pools
from .settings import InferenceExtensionSettings
from .spec import (
    LLM_D_GROUP,
    AlphaInferencePool,
    InferenceObjective,
    InferencePool,
    InferencePoolImport,
)

_POOL_VERSIONS = (f"{GROUP}/v1", f"{ALPHA_GROUP}/v1alpha2")


class NotCovered(not_covered.NotCovered):
    """Kinds that this API no longer has."""

    REASONS = {"InferenceModel": "no release reads it any more; write an InferenceObjective"}


KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    (f"{GROUP}/v1", "InferencePool"): InferencePool,
    (f"{ALPHA_GROUP}/v1alpha2", "InferencePool"): AlphaInferencePool,
    (f"{ALPHA_GROUP}/v1alpha2", "InferenceObjective"): InferenceObjective,
    (f"{LLM_D_GROUP}/v1alpha2", "InferenceObjective"): InferenceObjective,
    (f"{ALPHA_GROUP}/v1alpha1", "InferencePoolImport"): InferencePoolImport,
    (f"{ALPHA_GROUP}/v1alpha2", "InferenceModel"): NotCovered,
}


def render(sources: Sequence[Source], settings: InferenceExtensionSettings) -> Plan:
    """Each manifest of this API as one object. Linking checks whether an objective's pool exists."""
    moved = moved_pools(manifests_of(sources)) if settings.convertPools else frozenset()
    result = Plan(existing=[key for known in settings.knownPools for key in _known(known)])
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, InferenceObjective):
            result.objects.append(_record(source, following(manifest, moved)))
        elif isinstance(manifest, AlphaInferencePool) and settings.convertPools:
            result.problems += at(source, conversion_problems(manifest))
            if manifest.spec:
                result.objects.append(_record(source, converted(manifest, manifest.spec)))
        elif isinstance(manifest, InferencePool | AlphaInferencePool | InferencePoolImport):
            result.objects.append(_record(source, as_written(manifest)))
    return result


def _record(source: Source, body: Object) -> RenderedObject:
    return RenderedObject("", body, source, field="spec", replicas="spec")


def _known(pool: str) -> list[Key]:
    """A pool of ``settings.inferenceExtension.knownPools`` (``namespace/name``), which doesn't say its API group."""
    namespace, _, name = pool.partition("/")
    return [Key(version, "InferencePool", namespace, name) for version in _POOL_VERSIONS]
