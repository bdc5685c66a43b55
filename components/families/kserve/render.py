"""Renders LLMInferenceServices, which may build on LLMInferenceServiceConfigs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...findings import Problem
from ...kubernetes.model import Manifest, dump
from ...kubernetes.objects import Object
from ...kubernetes.rendered import RenderedComponent, RenderedObject, owned_records, with_layers
from ...kubernetes.source import Source, at, manifests_of
from .. import Plan, not_covered
from . import (
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
from .configs import Configs, config_problems, configs_of, effective
from .context import Known, Service
from .places import with_config
from .settings import KServeSettings
from .spec import LLMInferenceService, LLMInferenceServiceConfig

KIND = "LLMInferenceService"
COMPONENT = "LLMInferenceServiceComponent"
PICKER_COMPONENT = "EPPComponent"

_NO_LLM = "only LLMInferenceServices are served here; leave it to KServe's operator"
_CACHE = "it needs KServe's agent on the nodes"


class NotCovered(not_covered.NotCovered):
    """KServe's kinds that this program does not render."""

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


def render(sources: Sequence[Source], settings: KServeSettings) -> Plan:
    known = Known.of(manifests_of(sources))
    sources_of_configs = {
        (m.namespace, m.name): (source, m)
        for source in sources
        if isinstance(m := source.manifest, LLMInferenceServiceConfig)
    }
    configs = {name: config for name, (_, config) in sources_of_configs.items()}
    result = Plan()
    for source, config in sources_of_configs.values():
        wrong = [*validation.version_problems(config.apiVersion, config.spec), *config_problems(config.spec, settings)]
        wrong += validation.list_problems(config.spec)
        result.problems += at(source, wrong)
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, LLMInferenceService):
            service, problems = _planned(manifest, configs, settings, known)
            result.problems += at(source, problems)
            if service is not None:
                result.services.append(service.of(source))
    return result


def _planned(
    manifest: LLMInferenceService, configs: Configs, settings: KServeSettings, known: Known
) -> tuple[RenderedComponent | None, list[Problem]]:
    """The rendered service, None if it has errors, and its problems."""
    written = dump(manifest.spec)
    problems = [*validation.version_problems(manifest.apiVersion, written), *validation.list_problems(written)]
    if manifest.stopped:
        name = (manifest.kind, manifest.namespace, manifest.name)
        stopped = RenderedComponent(COMPONENT, *name, observe=status.stopped)
        return stopped, problems
    merged = effective(manifest, configs, settings, partial(known.config_text, manifest.namespace))
    problems += merged.problems
    if merged.spec is None:
        return None, problems
    service = Service.of(manifest, merged, settings, known)
    judged = validation.problems(service) if merged.complete else validation.local_problems(service)
    problems += [with_config(problem, merged.sources) for problem in judged]
    if not merged.complete or _wrong([*problems, *manifest.problems()]):
        return None, problems
    result = replace(rendered(service), builds_on=configs_of(merged, configs))
    problems += [with_config(problem, merged.sources) for problem in validation.rendered_problems(service, result)]
    return (None if _wrong(problems) else result), problems


def _wrong(problems: Sequence[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def rendered(service: Service) -> RenderedComponent:
    parts = {scheduler.PART: _picker(service)} if service.has_scheduler else {}
    records = tuple(_records(service))
    if tls.needs_certificate(service):
        others = (record for part in parts.values() for record in part.records)
        records = (tls.certificates_secret(service, [*records, *others]), *records)
    return RenderedComponent(
        component=COMPONENT,
        kind=KIND,
        namespace=service.namespace,
        name=service.name,
        records=records,
        observe=partial(status.observe, tuple(_observed(service)), workload.address(service)),
        parts=parts,
    )


def _records(service: Service) -> Iterator[RenderedObject]:
    if resource_claim_template.wanted(service):
        claim_template = resource_claim_template.claim_template(service)
        yield RenderedObject("resource-claim-template", claim_template)
    for each in service.workloads:
        yield from workload.records(service, each)
    yield RenderedObject("service", workload.workload_service(service))
    if http_route.wanted(service):
        yield RenderedObject("route", http_route.http_route(service), field="spec.router.route")
    if tokenizer.wanted(service):
        made = owned_records(tokenizer.objects(service), replicas=workload.replicas_path(service))
        yield from with_layers(made, {tokenizer.ROLE: tokenizer.layers(service)})


def _picker(service: Service) -> RenderedComponent:
    path, replicas = "spec.router.scheduler", workload.replicas_path(service)
    records = [
        RenderedObject(role, obj, field=path, replicas=replicas) for role, obj in scheduler.objects(service).items()
    ]
    pools: dict[str, Object] = inference_pool.objects(service)
    return RenderedComponent(
        component=PICKER_COMPONENT,
        kind=KIND,
        namespace=service.namespace,
        name=service.name,
        records=(
            *with_layers(records, {scheduler.ROLE: scheduler.layers(service)}),
            *(RenderedObject(role, pool, field=f"{path}.pool") for role, pool in pools.items()),
        ),
    )


def _observed(service: Service) -> Iterator[status.Observed]:
    """The workloads that decide whether the service is ready, most important first."""
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
