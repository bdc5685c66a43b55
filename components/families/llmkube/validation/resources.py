"""What is wrong with the resources of an InferenceService's pods: `resources`, `modelCache`."""

import re
from collections.abc import Iterator

from ....findings import Problem
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.quantities import amount
from ....kubernetes.scalars import describe
from ..spec import InferenceServiceSpec

_MIG_PROFILE = re.compile(r"[0-9]+g\.[0-9]+gb")


def resource_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for field in ("cpu", "memory", "hostMemory", "gpuMemory", "ephemeralStorage"):
        value = getattr(spec.resources, field)
        if isinstance(value, str) and amount(value) < 0:
            yield Problem(f"spec.resources.{field}", f"must be 0 or more, got {value}", code="bad-value")


def gpu_sharing_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    sharing, path = spec.resources.gpuSharing, "spec.resources.gpuSharing"
    if sharing is None:
        return
    if sharing.mode == "partitioned" and not _MIG_PROFILE.fullmatch(sharing.profile):
        message = f"must be a MIG profile such as 1g.24gb for mode partitioned, got {describe(sharing.profile)}"
        yield Problem(f"{path}.profile", message, code="bad-value")
    if sharing.mode != "partitioned" and sharing.profile:
        yield Problem(f"{path}.profile", "is for mode partitioned only: set the mode, or remove it")
    if sharing.mode != "shared" and sharing.memoryLimitGiB is not None:
        yield Problem(f"{path}.memoryLimitGiB", "is for mode shared only: set the mode, or remove it")


def model_cache_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    cache, path = spec.modelCache, "spec.modelCache"
    if cache is None:
        return
    if cache.claimName and cache.persistence == "Ephemeral":
        yield Problem(f"{path}.claimName", "names a cache, and persistence Ephemeral declines one: remove one of them")
    if cache.claimName and not is_subdomain(cache.claimName):
        message = f"must be the name of a PersistentVolumeClaim, got {describe(cache.claimName)}"
        yield Problem(f"{path}.claimName", message, code="bad-value")
    if cache.persistence == "Ephemeral" and spec.resources.ephemeralStorage is None:
        message = (
            "is needed with modelCache.persistence Ephemeral: without it a download has no limit, and may fill the "
            "node's disk"
        )
        yield Problem("spec.resources.ephemeralStorage", message, "warning", "UnboundedEphemeralCache")
