"""The Job of a Model with ``prefetch``: it downloads the model into the shared cache before a service starts.

LLMKube's Job is deleted a day after it ends. This one stays, because a deleted Job would be created again.

Mirrors defilantech/LLMKube internal/controller/model_prefetch.go at v0.9.19.
"""

from collections.abc import Iterable
from typing import Any

from ...kubernetes.metadata import metadata
from ...kubernetes.model import dump, dumps
from ...kubernetes.objects import Object
from ...kubernetes.security import container_security
from ...kubernetes.values import without_empty
from . import downloader, names
from .context import Context, context_of
from .kinds import API_VERSION, InferenceService, Model
from .security import pod_security
from .settings import LLMKubeSettings

COMPONENT = "model-prefetch"
RETRIES = 2


def prefetching(model: Model, settings: LLMKubeSettings, services: Iterable[InferenceService] = ()) -> Context | None:
    """The download, as a service of the Model would do it; None if there is nothing to prefetch. The pod runs with the
    security context of the first of the Model's ``services`` that states one: it fills their cache."""
    if not model.spec.prefetch or settings.modelCacheMode != "shared":
        return None
    data = {
        "apiVersion": API_VERSION,
        "kind": "InferenceService",
        "metadata": {"name": model.name, "namespace": model.namespace},
        "spec": {"modelRef": model.name, "podSecurityContext": _pod_security(model, services)},
    }
    downloading = context_of(InferenceService.model_validate(data), model, settings)
    is_cached = downloading.storage.kind == "cache" and downloading.source.kind in ("http", "repository")
    return downloading if is_cached else None


def _pod_security(model: Model, services: Iterable[InferenceService]) -> dict[str, Any] | None:
    of_model = [each for each in services if (each.namespace, each.spec.modelRef) == (model.namespace, model.name)]
    stated = (each.spec.podSecurityContext for each in sorted(of_model, key=lambda each: each.name))
    return next((dump(context) for context in stated if context is not None), None)


def prefetch_job(service: Context) -> Object:
    """The Job for what :func:`prefetching` returns."""
    model = service.model
    labels = {"app.kubernetes.io/component": COMPONENT, names.MODEL_LABEL: model.name}
    of_job = {"app.kubernetes.io/name": "llmkube", "app.kubernetes.io/managed-by": "llmkube-controller", **labels}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(names.prefetch_job(model.name), model.namespace, of_job),
        "spec": {
            "backoffLimit": RETRIES,
            "template": {"metadata": {"labels": dict(labels)}, "spec": _pod(service)},
        },
    }


def _pod(service: Context) -> Object:
    done = {
        "name": "prefetch-done",
        "image": service.settings.initContainerImage,
        "command": ["sh", "-c", "echo prefetch complete"],
        "securityContext": container_security(None),
    }
    fields = {
        "restartPolicy": "Never",
        "initContainers": downloader.init_containers(service),
        "containers": [done],
        "volumes": [service.storage.volume, *downloader.volumes(service)],
        "tolerations": dumps(service.model.spec.prefetchTolerations),
        "securityContext": pod_security(service),
    }
    return without_empty(fields)
