"""From manifests to services: an InferenceService is rendered with the Model that it names."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Key, Object, Rendered, key
from ...kubernetes.propagation import Propagation
from ...kubernetes.values import value_at
from .. import Plan
from . import names
from .ai_gateway_route import gateway_objects
from .claims import Claims, claims_of, exists, has_claim_of_one_node
from .context import Context, context_of
from .deployment import deployment
from .draft import Models, draft_model, draft_reference, drafter
from .horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .job import prefetch_job, prefetching
from .kinds import API_VERSION, InferenceService, Model, NotCovered
from .labels import propagation
from .persistent_volume_claim import cache_claim, cached_claim, is_shared, known_claims
from .pod_monitor import pod_monitor
from .priority_class import priority_class
from .service import service as service_object
from .service_level_objective import service_level_objective
from .settings import LLMKubeSettings
from .status import facts, observe, observe_prefetch
from .validation.context import missing_model, model_problems, service_problems
from .validation.secrets import secrets_of, unseen_secrets

COMPONENT = "InferenceServiceComponent"
DRAFT_PATH = "spec.speculativeDecoding.draftModelRef"

KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    (API_VERSION, "InferenceService"): InferenceService,
    (API_VERSION, "Model"): Model,
    **{(API_VERSION, kind): NotCovered for kind in NotCovered.REASONS},
}


def render(manifests: Sequence[Manifest], settings: LLMKubeSettings) -> Plan:
    """All InferenceServices, and what is wrong with them and their Models."""
    claims, secrets = claims_of(manifests), secrets_of(manifests)
    models = {(m.namespace, m.name): m for m in manifests if isinstance(m, Model)}
    result = Plan()
    for model in models.values():
        result.problems += [(model, problem) for problem in model_problems(model, claims, settings)]
        result.problems += [(model, problem) for problem in unseen_secrets(model, secrets)]
        service = prefetching(model, settings)
        result.services += [(model, rendered_prefetch(service, claims))] if service else []
    for manifest in manifests:
        if isinstance(manifest, InferenceService):
            result.problems += [(manifest, problem) for problem in unseen_secrets(manifest, secrets)]
            service, problem = _service(manifest, models, claims, settings)
            result.services += [(manifest, service)] if service else []
            result.problems += [(manifest, problem)] if problem else []
    return result


def _service(
    manifest: InferenceService,
    models: Models,
    claims: Claims,
    settings: LLMKubeSettings,
) -> tuple[Rendered | None, Problem | None]:
    for path, name in (("spec.modelRef", manifest.spec.modelRef), (DRAFT_PATH, draft_reference(manifest))):
        if name and (manifest.namespace, name) not in models:
            known = [model for namespace, model in models if namespace == manifest.namespace]
            return None, missing_model(name, manifest.namespace, known, path)
    model = models[manifest.namespace, manifest.spec.modelRef]
    draft, beside = draft_model(manifest, models, settings), drafter(manifest, model, models, settings)
    return rendered(context_of(manifest, model, settings, draft, beside), claims), None


def rendered(service: Context, claims: Claims) -> Rendered:
    """One service as what its component registers."""
    claim, layers = _new_claim(service, claims), propagation(service)
    objects = {} if service.served_outside else dict(_objects(service, claims, claim, layers))
    pod = value_at(objects, "deployment", "spec", "template", "spec") or {}
    return Rendered(
        component=COMPONENT,
        kind="InferenceService",
        namespace=service.namespace,
        name=service.name,
        objects=objects,
        observe=partial(observe, facts(service)),
        shared=tuple(_shared(service, claim)),
        retained=frozenset(_retained(service, claim)),
        chart=tuple(_chart(service)),
        problems=tuple(service_problems(service, claims, pod)),
        layers={"deployment": layers},
        replicas="spec.autoscaling.maxReplicas" if service.spec.autoscaling else "spec.replicas",
        claims=known_claims(service),
    )


def rendered_prefetch(service: Context, claims: Claims) -> Rendered:
    """The download of a Model before its services, with the cache that it fills."""
    job, claim = prefetch_job(service), _new_claim(service, claims)
    return Rendered(
        component=COMPONENT,
        kind="Model",
        namespace=service.namespace,
        name=job["metadata"]["name"],
        objects={"job": job},
        observe=observe_prefetch,
        shared=(claim,) if claim else (),
        retained=frozenset(_retained(service, claim)),
    )


def _objects(
    service: Context, claims: Claims, claim: Object | None, layers: Propagation
) -> Iterator[tuple[str, Object]]:
    """The service's own objects by role; ``claim`` is the cache claim that is to be made."""
    if claim and not is_shared(service):
        yield "model-cache", claim
    recreate = service.has_gpus or has_claim_of_one_node(service, claims)
    yield "deployment", deployment(service, layers, recreate=recreate)
    yield "service", service_object(service)
    scaler = horizontal_pod_autoscaler(service)
    if scaler:
        yield "autoscaler", scaler
    yield from gateway_objects(service).items()
    objective = service_level_objective(service)
    if objective:
        yield "service-level-objective", objective


def _new_claim(service: Context, claims: Claims) -> Object | None:
    """The cache claim that the service mounts, unless the cluster has it already."""
    there = exists(service.namespace, cached_claim(service), claims, service.settings)
    return None if there else cache_claim(service)


def _shared(service: Context, claim: Object | None) -> Iterator[Object]:
    """Objects of the stack that the service needs: the namespace's cache claim, the monitor of all pods."""
    if service.served_outside:
        return
    if claim and is_shared(service):
        yield claim
    monitor = pod_monitor(service.settings)
    if monitor:
        yield monitor


def _retained(service: Context, claim: Object | None) -> Iterator[Key]:
    """The shared cache outlives its services: what was downloaded once is there when the next one comes."""
    if claim and is_shared(service) and not service.settings.deleteCache:
        yield key(claim)


def _chart(service: Context) -> Iterator[Object]:
    """The PriorityClass that the pods name, when it is one that LLMKube's chart brings."""
    name = service.spec.priorityClassName or names.priority_class(service.spec.priority)
    found = priority_class(name) if isinstance(name, str) and not service.served_outside else None
    if found:
        yield found
