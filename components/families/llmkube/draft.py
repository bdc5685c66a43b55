"""Draft models of speculative decoding: vLLM and SGLang get a reference that they can load, llama.cpp's pods the Model
itself.

Decisions: L12 (docs/decisions).
"""

from collections.abc import Mapping
from dataclasses import replace

from .context import Context, context_of, named_draft
from .kinds import InferenceService, Model
from .settings import LLMKubeSettings

Models = Mapping[tuple[str, str], Model]


def draft_reference(service: InferenceService) -> str:
    """Name of the Model with llama.cpp's draft weights; empty if none is needed."""
    decoding = service.spec.speculativeDecoding
    drafts = service.spec.runtime == "llamacpp" and decoding is not None and decoding.takes_draft
    return decoding.draftModelRef if drafts and decoding else ""


def named_models(service: InferenceService, models: Models) -> tuple[Model, ...]:
    """The Models among the manifests that a service names: its own, and one that it drafts with."""
    names = (service.spec.modelRef, draft_reference(service), named_draft(service.spec)[1])
    places = [(service.namespace, name) for name in names if isinstance(name, str)]
    return tuple(models[place] for place in dict.fromkeys(places) if place in models)


def drafter(service: InferenceService, model: Model, models: Models, settings: LLMKubeSettings) -> Context | None:
    """The service with its draft Model; None without such a Model."""
    draft = models.get((service.namespace, draft_reference(service)))
    if draft is None:
        return None
    of_draft = context_of(service, draft, settings)
    of_model = context_of(service, model, settings).storage
    return replace(of_draft, storage=of_draft.storage.mounted_with(of_model), prefix="draft-")


def draft_model(service: InferenceService, models: Models, settings: LLMKubeSettings) -> str:
    """The engine's value for the draft model that the service names: the repository of a Model of that name, otherwise
    its path in the cache or on the claim that the pod mounts. Empty if none is named, or if the pod can't load the
    Model; a name of no Model is the value itself."""
    _, name = named_draft(service.spec)
    draft = models.get((service.namespace, name)) if isinstance(name, str) else None
    main_model = models.get((service.namespace, service.spec.modelRef))
    if draft is None or main_model is None:
        return name
    as_served = context_of(service, draft, settings)
    if as_served.source.kind == "repository" and not as_served.storage.files:
        source = as_served.source
        return f"{source.place}@{source.revision}" if source.revision else source.place
    storage, mounted = as_served.storage, context_of(service, main_model, settings).storage
    return storage.path if (storage.kind, storage.claim) == (mounted.kind, mounted.claim) else ""
