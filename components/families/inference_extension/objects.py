"""The objects that the cluster gets: the manifests' own, with the defaults that the API server would add."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from ...kubernetes.metadata import object_metadata
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Object
from .conversion import converted_spec
from .spec import ALPHA_GROUP, GROUP, AlphaInferencePool, AlphaPoolSpec, InferenceObjective


class Pool(NamedTuple):
    group: str
    namespace: str
    name: str


def as_written(manifest: Manifest) -> Object:
    """The object of a manifest, without its status."""
    body = manifest.model_dump(exclude={"apiVersion", "kind", "metadata"}, exclude_none=True)
    return _object(manifest, manifest.apiVersion, body)


def converted(pool: AlphaInferencePool, spec: AlphaPoolSpec) -> Object:
    """A v1alpha2 pool as one of v1."""
    return _object(pool, f"{GROUP}/v1", {"spec": converted_spec(spec)})


def following(objective: InferenceObjective, moved: Collection[Pool]) -> Object:
    """An objective; where its pool is one of ``moved``, it refers to the pool in its new group."""
    obj = as_written(objective)
    reference = obj.get("spec", {}).get("poolRef", {})
    if reference and Pool(reference["group"], objective.namespace, reference["name"]) in moved:
        return {**obj, "spec": {**obj["spec"], "poolRef": {**reference, "group": GROUP}}}
    return obj


def moved_pools(pools: Collection[Manifest]) -> frozenset[Pool]:
    """Where the v1alpha2 pools among the manifests are before they are converted."""
    return frozenset(Pool(ALPHA_GROUP, p.namespace, p.name) for p in pools if isinstance(p, AlphaInferencePool))


def _object(manifest: Manifest, api_version: str, body: dict[str, Any]) -> Object:
    head = {"apiVersion": api_version, "kind": manifest.kind, "metadata": object_metadata(manifest.metadata)}
    return {**head, **body}
