"""Renders the manifests of this API."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...findings import Problem
from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, EXT_PROC_PORT, GROUP
from ...kubernetes.metadata import object_metadata
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Key, Object, TypedObjectReference
from ...kubernetes.rendered import RenderedObject
from ...kubernetes.source import Source, at, manifests_of
from .. import Plan, not_covered
from .settings import InferenceExtensionSettings
from .spec import (
    LLM_D_GROUP,
    AlphaInferencePool,
    AlphaPoolSpec,
    ExtensionRef,
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


_MAX_LABELS = 64


def as_written(manifest: Manifest) -> Object:
    """The object of a manifest, without its status."""
    body = manifest.model_dump(exclude={"apiVersion", "kind", "metadata"}, exclude_none=True)
    return _object(manifest, manifest.apiVersion, body)


def converted(pool: AlphaInferencePool, spec: AlphaPoolSpec) -> Object:
    """A v1alpha2 pool as an equivalent v1 pool. It is a new object, because the kinds are in different groups."""
    body = {
        "endpointPickerRef": _picker(spec.extensionRef),
        "selector": {"matchLabels": dict(spec.selector)},
        "targetPorts": [{"number": spec.targetPortNumber}],
    }
    return _object(pool, f"{GROUP}/v1", {"spec": body})


def _picker(extension: ExtensionRef) -> dict[str, Any]:
    """A Service without a port gets the default port, as gateways assume it."""
    port = extension.portNumber or (EXT_PROC_PORT if extension.kind == "Service" else None)
    picker = extension.model_dump(exclude={"portNumber"})
    return {**picker, "port": {"number": port}} if port else picker


def conversion_problems(pool: AlphaInferencePool) -> Iterator[Problem]:
    """Values that v1alpha2 allows but v1 does not."""
    if pool.spec is None:
        yield Problem("spec", "is required to convert the pool to v1 (settings.inferenceExtension.convertPools)")
    elif not 1 <= len(pool.spec.selector) <= _MAX_LABELS:
        message = f"must have 1 to {_MAX_LABELS} labels in a v1 pool (settings.inferenceExtension.convertPools)"
        yield Problem("spec.selector", message)


def following(objective: InferenceObjective, moved: Collection[TypedObjectReference]) -> Object:
    """The objective. If its pool is one of ``moved``, it refers to the pool's new group."""
    obj = as_written(objective)
    reference = obj.get("spec", {}).get("poolRef", {})
    if reference and _pool(reference["group"], objective.namespace, reference["name"]) in moved:
        return {**obj, "spec": {**obj["spec"], "poolRef": {**reference, "group": GROUP}}}
    return obj


def moved_pools(pools: Collection[Manifest]) -> frozenset[TypedObjectReference]:
    """References to the v1alpha2 pools among the manifests, before they are converted."""
    return frozenset(_pool(ALPHA_GROUP, p.namespace, p.name) for p in pools if isinstance(p, AlphaInferencePool))


def _pool(group: str, namespace: str, name: str) -> TypedObjectReference:
    return TypedObjectReference(group, "InferencePool", namespace, name)


def _object(manifest: Manifest, api_version: str, body: dict[str, Any]) -> Object:
    head = {"apiVersion": api_version, "kind": manifest.kind, "metadata": object_metadata(manifest.metadata)}
    return {**head, **body}
