"""The claim that holds downloaded models: one for a namespace, or one for each service.

Decisions: L5 (docs/decisions).
"""

from ...kubernetes.rendered import KnownClaim, Lifetime, RenderedObject
from .context import Context

LABELS = {
    "app.kubernetes.io/name": "llmkube",
    "app.kubernetes.io/component": "model-cache",
    "app.kubernetes.io/managed-by": "llmkube-controller",
}


def cache_claim(service: Context) -> RenderedObject | None:
    """The cache claim that the service mounts, if any, unless it is the user's."""
    claim = cached_claim(service)
    if not claim or is_users(service):
        return None
    settings = service.settings
    storage_class = {"storageClassName": settings.modelCacheStorageClass} if settings.modelCacheStorageClass else {}
    body = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim, "namespace": service.namespace, "labels": dict(LABELS)},
        "spec": {
            "accessModes": [access_mode(service)],
            **storage_class,
            "resources": {"requests": {"storage": settings.modelCacheSize}},
        },
    }
    return RenderedObject("model-cache", body, lifetime=lifetime(service))


def lifetime(service: Context) -> Lifetime:
    """A namespace's cache outlives its services, for the next ones. A service's own cache is deleted with it."""
    if not is_shared(service):
        return "own"
    return "shared" if service.settings.deleteCache else "retained"


def cached_claim(service: Context) -> str:
    """Name of the claim into which a model of the service is downloaded; empty if none is."""
    return next((each.storage.claim for each in service.models if each.storage.kind == "cache"), "")


def known_claims(service: Context) -> dict[str, KnownClaim]:
    """The cache claim that the service mounts, unless it is the user's."""
    claim = cached_claim(service)
    if not claim or is_users(service):
        return {}
    advice = "set settings.llmkube.modelCacheMode: shared and modelCacheAccessMode: ReadWriteMany"
    if is_shared(service):
        advice = "set settings.llmkube.modelCacheAccessMode: ReadWriteMany, with a storage class that has it"
    return {claim: KnownClaim(access_mode(service), advice)}


def is_users(service: Context) -> bool:
    """Whether the manifest names the service's cache claim."""
    return service.spec.modelCache is not None and service.spec.modelCache.claimName is not None


def is_shared(service: Context) -> bool:
    return service.settings.modelCacheMode == "shared"


def access_mode(service: Context) -> str:
    """Access mode of the service's cache claim; a claim of one service serves one node only."""
    return service.settings.modelCacheAccessMode if is_shared(service) else "ReadWriteOnce"
