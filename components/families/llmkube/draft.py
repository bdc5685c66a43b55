"""The draft model of vLLM's speculative decoding: a Model's name becomes what vLLM can load."""

from __future__ import annotations

from collections.abc import Mapping

from .context import context_of
from .kinds import InferenceService, Model
from .settings import LLMKubeSettings


def draft_model(service: InferenceService, models: Mapping[tuple[str, str], Model], settings: LLMKubeSettings) -> str:
    """What vLLM gets for the speculative model that the service names: the repository of a Model of that name, its path
    in the cache that the pod mounts, else the name as it is. Empty when it names none."""
    config = service.spec.vllmConfig
    name = config.speculative.model if config and config.speculative else ""
    draft = models.get((service.namespace, name))
    own = models.get((service.namespace, service.spec.modelRef))
    if draft is None or own is None:
        return name
    as_served = context_of(service, draft, settings)
    if as_served.source.kind == "repository" and not as_served.storage.files:
        return as_served.source.model_id
    if as_served.storage.kind == "cache" and context_of(service, own, settings).storage.kind == "cache":
        return as_served.storage.path
    return name
