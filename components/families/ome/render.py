"""From manifests of OME to rendered services and jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...ome_keys.effective import effective_keys
from .. import Pending, Plan, Target
from . import benchmark_job, training_job
from .admission import admitted
from .benchmark_job import Benchmark
from .benchmark_spec import BenchmarkJob, job_problems
from .benchmark_target import Measured, of_ome, of_other_family
from .cluster_config import configured
from .context import Catalog
from .facts import fact_problems
from .inference_service import Parts, prepared, rendered, with_keys
from .model_spec import BaseModel, ClusterBaseModel
from .runtime_spec import ClusterServingRuntime, ServingRuntime
from .service_spec import InferenceService
from .settings import OMESettings
from .training_job import Training
from .training_spec import TrainingJob

VERSIONS = ("ome.io/v1beta1", "ome.io/v1")

MODELS: tuple[type[Manifest], ...] = (
    InferenceService,
    BenchmarkJob,
    TrainingJob,
    BaseModel,
    ClusterBaseModel,
    ServingRuntime,
    ClusterServingRuntime,
)
KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    (version, model.__name__): model for version in VERSIONS for model in MODELS
}


def render(manifests: Sequence[Manifest], settings: OMESettings) -> Plan:
    """Services and jobs; models and runtimes are facts that these refer to."""
    result = Plan()
    config, problems = configured(settings, manifests)
    result.problems += problems
    catalog = Catalog.of(manifests)
    services: dict[tuple[str, str], Parts] = {}
    for manifest in manifests:
        if isinstance(manifest, BaseModel | ServingRuntime):
            result.problems += [(manifest, problem) for problem in fact_problems(manifest, config)]
        if isinstance(manifest, InferenceService):
            parts = _prepared(manifest, catalog, config, result)
            if parts:
                services[manifest.namespace, manifest.name] = parts
                result.services.append((manifest, rendered(parts)))
    for manifest in manifests:
        if isinstance(manifest, BenchmarkJob):
            result.add(_benchmark(manifest, services, config))
        elif isinstance(manifest, TrainingJob):
            result.services.append((manifest, training_job.rendered(Training.of(manifest, config))))
    return result


def _prepared(manifest: InferenceService, catalog: Catalog, settings: OMESettings, result: Plan) -> Parts | None:
    service = with_keys(manifest, settings)
    effective = effective_keys(service.metadata.labels, service.metadata.annotations, settings)
    admission = admitted(service, catalog, effective)
    result.problems += [(manifest, problem) for problem in admission.problems]
    if any(problem.severity == "error" for problem in admission.problems):
        return None
    return prepared(service, admission.model, admission.runtime, settings)


def _benchmark(manifest: BenchmarkJob, services: Mapping[tuple[str, str], Parts], settings: OMESettings) -> Plan:
    """The job, or what renders it when the service that it measures is not one of OME's."""
    spec = benchmark_job.completed(manifest, settings)
    direct = spec.endpoint.endpoint if spec.endpoint else None
    if direct:
        return _of_target(manifest, settings, Measured(direct.url, direct.apiFormat, direct.modelName or ""))
    wanted = spec.endpoint.inferenceService if spec.endpoint else None
    if wanted is None:
        return _of_target(manifest, settings, None)
    own = services.get((wanted.namespace, wanted.name))
    if own:
        return _of_target(manifest, settings, of_ome(own))
    render_with = partial(_of_other_family, manifest, settings)
    return Plan(pending=[Pending(manifest, wanted.namespace, wanted.name, render_with)])


def _of_other_family(manifest: BenchmarkJob, settings: OMESettings, target: Target | None) -> Plan:
    return _of_target(manifest, settings, of_other_family(target) if target else None)


def _of_target(manifest: BenchmarkJob, settings: OMESettings, target: Measured | None) -> Plan:
    spec = benchmark_job.completed(manifest, settings)
    problems = list(job_problems(spec))
    if not problems:
        problems += _target_problems(target)
    result = Plan(problems=[(manifest, problem) for problem in problems])
    if target is not None and target.url and all(problem.severity != "error" for problem in problems):
        effective = effective_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
        benchmark = Benchmark(manifest, spec, target, effective, settings)
        result.services.append((manifest, benchmark_job.rendered(benchmark)))
    return result


def _target_problems(target: Measured | None) -> Iterator[Problem]:
    path = "spec.endpoint.inferenceService"
    if target is None:
        yield Problem(path, "no manifest of the stack makes it", code="unknown-service")
    elif not target.url:
        message = "has no address of its own: give that of its gateway as spec.endpoint.endpoint.url"
        yield Problem(path, message, code="unknown-service")
