"""Which InferencePools a stack knows: from manifests, made by services, named in the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Object
from .settings import InferenceExtensionSettings
from .spec import ALPHA_GROUP, GROUP, AlphaInferencePool, InferencePool

_GROUPS = (GROUP, ALPHA_GROUP)

# Kind of a service to the name of the pool that it makes.
_MADE = {"ModelService": "{name}", "LLMInferenceService": "{name}-inference-pool"}


class Pool(NamedTuple):
    group: str
    namespace: str
    name: str


def known_pools(manifests: Iterable[Manifest], settings: InferenceExtensionSettings) -> frozenset[Pool]:
    """The pools that an objective may refer to."""
    pools = {pool for manifest in manifests for pool in _pools_of(manifest, settings)}
    for known in settings.knownPools:
        namespace, _, name = known.partition("/")
        pools.update(Pool(group, namespace, name) for group in _GROUPS)
    return frozenset(pools)


def _pools_of(manifest: Manifest, settings: InferenceExtensionSettings) -> Iterator[Pool]:
    if isinstance(manifest, InferencePool):
        yield Pool(GROUP, manifest.namespace, manifest.name)
    elif isinstance(manifest, AlphaInferencePool):
        yield Pool(GROUP if settings.convertPools else ALPHA_GROUP, manifest.namespace, manifest.name)
    elif manifest.kind in _MADE:
        name = _MADE[manifest.kind].format(name=manifest.name)
        yield from (Pool(group, manifest.namespace, name) for group in _GROUPS)


def unknown_pool(objective: Object, pools: Iterable[Pool]) -> Iterator[Problem]:
    """A warning when the pool that a rendered objective refers to is not among ``pools``."""
    reference = objective.get("spec", {}).get("poolRef")
    if reference is None:
        return
    wanted = Pool(reference["group"], objective["metadata"].get("namespace", ""), reference["name"])
    namesakes = sorted(pool for pool in pools if pool[1:] == wanted[1:])
    if namesakes and wanted not in namesakes:
        message = f"the InferencePool {wanted.name} is of the group {namesakes[0].group}: write that"
        yield Problem("spec.poolRef.group", message, "warning", "unknown-pool")
    elif not namesakes:
        where = f"{wanted.namespace}/{wanted.name}"
        message = f"no manifest makes an InferencePool {where}: correct the name, add the pool, or list it under"
        setting = "settings.inferenceExtension.knownPools"
        yield Problem("spec.poolRef.name", f"{message} {setting}", "warning", "unknown-pool")
