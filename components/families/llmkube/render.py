"""Renders InferenceServices with the Models that they name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Object
from ...kubernetes.rendered import RenderedComponent, RenderedObject, owned_records
from ...kubernetes.source import Source, at, manifests_of
from ...kubernetes.values import value_at
from .. import Plan
from . import names
from .ai_gateway_route import gateway_objects
from .context import Context, context_of
from .deployment import deployment
from .draft import Models, draft_model, draft_reference, drafter, named_models
from .existing_claims import Claims, claims_of, exists, has_claim_of_one_node
from .horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .job import prefetch_job, prefetching
from .kinds import API_VERSION, InferenceService, Model, NotCovered
from .persistent_volume_claim import cache_claim, cached_claim, known_claims
from .pod_monitor import pod_monitor
from .priority_class import priority_class
from .service import service as service_object
from .service_level_objective import service_level_objective
from .settings import LLMKubeSettings
from .status import observe, observe_prefetch
from .validation.context import missing_model, model_problems, service_problems
from .validation.secrets import secrets_of, unseen_secrets

COMPONENT = "InferenceServiceComponent"
DRAFT_PATH = "spec.speculativeDecoding.draftModelRef"

KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    (API_VERSION, "InferenceService"): InferenceService,
    (API_VERSION, "Model"): Model,
    **{(API_VERSION, kind): NotCovered for kind in NotCovered.REASONS},
}


def render(sources: Sequence[Source], settings: LLMKubeSettings) -> Plan:
    """Render all InferenceServices and prefetches, with the problems of services and Models."""
    manifests = manifests_of(sources)
    claims, secrets = claims_of(manifests), secrets_of(manifests)
    of_models = {(m.namespace, m.name): (source, m) for source in sources if isinstance(m := source.manifest, Model)}
    models = {name: model for name, (_, model) in of_models.items()}
    services = [manifest for manifest in manifests if isinstance(manifest, InferenceService)]
    result = Plan()
    for source, model in of_models.values():
        result.problems += at(source, model_problems(model, claims, settings))
        result.problems += at(source, unseen_secrets(model, secrets))
        service = prefetching(model, settings, services)
        result.services += [rendered_prefetch(service, claims).of(source)] if service else []
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, InferenceService):
            result.problems += at(source, unseen_secrets(manifest, secrets))
            service, problem = _service(manifest, models, claims, settings)
            result.services += [service.of(source)] if service else []
            result.problems += [(source, problem)] if problem else []
    return result


def _service(
    manifest: InferenceService,
    models: Models,
    claims: Claims,
    settings: LLMKubeSettings,
) -> tuple[RenderedComponent | None, Problem | None]:
    for path, name in (("spec.modelRef", manifest.spec.modelRef), (DRAFT_PATH, draft_reference(manifest))):
        if name and (manifest.namespace, name) not in models:
            known = [model for namespace, model in models if namespace == manifest.namespace]
            return None, missing_model(name, manifest.namespace, known, path)
    model = models[manifest.namespace, manifest.spec.modelRef]
    draft, beside = draft_model(manifest, models, settings), drafter(manifest, model, models, settings)
    service = rendered(context_of(manifest, model, settings, draft, beside), claims)
    return replace(service, builds_on=tuple(used.key for used in named_models(manifest, models))), None


def rendered(service: Context, claims: Claims) -> RenderedComponent:
    """One service as a component to register."""
    records = () if service.served_outside else tuple(_records(service, claims))
    pod = next((value_at(r.body, "spec", "template", "spec") for r in records if r.role == "deployment"), None)
    return RenderedComponent(
        component=COMPONENT,
        kind="InferenceService",
        namespace=service.namespace,
        name=service.name,
        records=records,
        observe=partial(observe, service),
        problems=tuple(service_problems(service, claims, pod or {})),
        claims=known_claims(service),
    )


def rendered_prefetch(service: Context, claims: Claims) -> RenderedComponent:
    """A Model's prefetch Job, with the cache that it fills."""
    job = prefetch_job(service)
    return RenderedComponent(
        component=COMPONENT,
        kind="Model",
        namespace=service.namespace,
        name=job["metadata"]["name"],
        records=(*owned_records({"job": job}), *_new_claim(service, claims)),
        observe=observe_prefetch,
    )


def _records(service: Context, claims: Claims) -> Iterator[RenderedObject]:
    yield from _new_claim(service, claims)
    recreate = service.has_gpus or has_claim_of_one_node(service, claims)
    yield deployment(service, recreate=recreate)
    yield from owned_records(_beside(service))
    name = service.spec.priorityClassName or names.priority_class(service.spec.priority)
    yield from filter(None, [pod_monitor(service.settings), priority_class(name) if isinstance(name, str) else None])


def _beside(service: Context) -> Iterator[tuple[str, Object]]:
    yield "service", service_object(service)
    scaler = horizontal_pod_autoscaler(service)
    if scaler:
        yield "autoscaler", scaler
    yield from gateway_objects(service).items()
    objective = service_level_objective(service)
    if objective:
        yield "service-level-objective", objective


def _new_claim(service: Context, claims: Claims) -> Iterable[RenderedObject]:
    """The cache claim that the service mounts, unless it exists already."""
    there = exists(service.namespace, cached_claim(service), claims, service.settings)
    claim = None if there else cache_claim(service)
    return (claim,) if claim else ()
