"""LLMInferenceServices as rendered services; LLMInferenceServiceConfigs are what they build on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...findings import Problem
from ...kubernetes.model import Manifest, dump
from ...kubernetes.objects import Object, Rendered
from .. import Plan, not_covered
from . import (
    certificates,
    http_route,
    inference_pool,
    resource_claim_template,
    scheduler,
    status,
    tls,
    tokenizer,
    validation,
    workload,
)
from .configs import Configs, config_problems, effective
from .context import Known, Service
from .places import with_config
from .service import address, workload_service
from .settings import KServeSettings
from .spec import LLMInferenceService, LLMInferenceServiceConfig

KIND = "LLMInferenceService"
COMPONENT = "LLMInferenceServiceComponent"
PICKER_COMPONENT = "EPPComponent"

_NO_LLM = "only LLMInferenceServices are served here; leave it to KServe's operator"
_CACHE = "it needs KServe's agent on the nodes"


class NotCovered(not_covered.NotCovered):
    """KServe's other kinds."""

    REASONS = {
        "ClusterServingRuntime": _NO_LLM,
        "ClusterStorageContainer": "the download's image is settings.kserve.storageInitializer",
        "InferenceGraph": _NO_LLM,
        "InferenceService": _NO_LLM,
        "LocalModelCache": _CACHE,
        "LocalModelNamespaceCache": _CACHE,
        "LocalModelNode": _CACHE,
        "LocalModelNodeGroup": _CACHE,
        "ServingRuntime": _NO_LLM,
        "TrainedModel": _NO_LLM,
    }


KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    **{
        (f"serving.kserve.io/{version}", kind.__name__): kind
        for version in ("v1alpha1", "v1alpha2")
        for kind in (LLMInferenceService, LLMInferenceServiceConfig)
    },
    **{("serving.kserve.io/v1alpha1", kind): NotCovered for kind in NotCovered.REASONS if kind != "InferenceService"},
    ("serving.kserve.io/v1beta1", "InferenceService"): NotCovered,
}


def render(manifests: Sequence[Manifest], settings: KServeSettings) -> Plan:
    known = Known.of(manifests)
    configs = {(m.namespace, m.name): m for m in manifests if isinstance(m, LLMInferenceServiceConfig)}
    result = Plan()
    for config in configs.values():
        found = [*validation.version_problems(config.apiVersion, config.spec), *config_problems(config.spec, settings)]
        found += validation.list_problems(config.spec)
        result.problems += [(config, problem) for problem in found]
    for manifest in manifests:
        if isinstance(manifest, LLMInferenceService):
            service, problems = _planned(manifest, configs, settings, known)
            result.problems += [(manifest, problem) for problem in problems]
            if service is not None:
                result.services.append((manifest, service))
    return result


def _planned(
    manifest: LLMInferenceService, configs: Configs, settings: KServeSettings, known: Known
) -> tuple[Rendered | None, list[Problem]]:
    """The rendered service, None when something is wrong with it."""
    written = dump(manifest.spec)
    problems = [*validation.version_problems(manifest.apiVersion, written), *validation.list_problems(written)]
    if manifest.stopped:
        stopped = Rendered(COMPONENT, manifest.kind, manifest.namespace, manifest.name, {}, status.stopped)
        return stopped, problems
    found = effective(manifest, configs, settings, partial(known.config_text, manifest.namespace))
    problems += found.problems
    if found.spec is None:
        return None, problems
    service = Service.of(manifest, found, settings, known)
    judged = validation.problems(service) if found.complete else validation.own_problems(service)
    problems += [with_config(problem, found.sources) for problem in judged]
    if not found.complete or _wrong([*problems, *manifest.problems()]):
        return None, problems
    result = rendered(service)
    problems += [with_config(problem, found.sources) for problem in validation.rendered_problems(service, result)]
    return (None if _wrong(problems) else result), problems


def _wrong(problems: Sequence[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def rendered(service: Service) -> Rendered:
    """All objects of a service that has no errors."""
    objects: dict[str, Object] = {}
    if tls.needs_certificate(service):
        objects[certificates.ROLE] = tls.certificates_secret(service)
    if resource_claim_template.wanted(service):
        objects["resource-claim-template"] = resource_claim_template.claim_template(service)
    for each in service.workloads:
        objects |= workload.objects(service, each)
    objects["service"] = workload_service(service)
    if http_route.wanted(service):
        objects["route"] = http_route.http_route(service)
    if tokenizer.wanted(service):
        objects |= tokenizer.objects(service)
    layers = {workload.workload_role(each): workload.layers(service, each) for each in service.workloads}
    if tokenizer.wanted(service):
        layers |= {tokenizer.ROLE: tokenizer.layers(service)}
    made = Rendered(
        component=COMPONENT,
        kind=KIND,
        namespace=service.namespace,
        name=service.name,
        objects=objects,
        observe=partial(status.observe, tuple(_observed(service)), address(service)),
        parts={scheduler.PART: _picker(service)} if service.has_scheduler else {},
        layers=layers,
        fields={"route": "spec.router.route"},
        replicas="spec.scaling.maxReplicas" if service.spec.scaling else "spec.replicas",
    )
    return replace(made, certificate=certificates.certificate(made)) if tls.needs_certificate(service) else made


def _picker(service: Service) -> Rendered:
    return Rendered(
        component=PICKER_COMPONENT,
        kind=KIND,
        namespace=service.namespace,
        name=service.name,
        objects=scheduler.objects(service) | inference_pool.objects(service),
        layers={scheduler.ROLE: scheduler.layers(service)},
        fields=dict.fromkeys(inference_pool.ROLES, "spec.router.scheduler.pool"),
    )


def _observed(service: Service) -> Iterator[status.Observed]:
    """The workloads that decide whether the service is ready, the most important one first."""
    conditions = {"decode": "MainWorkloadReady", "prefill": "PrefillWorkloadReady"}
    for each in service.workloads:
        desired = None if each.spec.scaling else 1 if each.spec.replicas is None else each.spec.replicas
        yield status.Observed(conditions[each.role], workload.workload_role(each), desired, serves=True)
    if service.has_scheduler:
        replicas = service.scheduler.replicas
        role = f"{scheduler.PART}/{scheduler.ROLE}"
        yield status.Observed("SchedulerWorkloadReady", role, 1 if replicas is None else replicas, serves=False)
    if tokenizer.wanted(service):
        yield status.Observed("TokenizerReady", tokenizer.ROLE, 1, serves=False)
