"""From manifests of OME to rendered services and jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...findings import Problem
from ...kubernetes.model import Manifest
from .. import Plan
from . import benchmark_job, training_job
from .acting import acting_keys
from .admission import admitted
from .benchmark_job import Benchmark
from .benchmark_spec import BenchmarkJob, Endpoint, job_problems
from .benchmark_target import Measured, of_ome, of_other_families
from .cluster_config import configured
from .facts import fact_problems
from .inference_service import Parts, prepared, rendered, with_keys
from .model_spec import BaseModel, ClusterBaseModel
from .runtime_spec import ClusterServingRuntime, ServingRuntime
from .service_spec import InferenceService
from .settings import OMESettings
from .training_job import Training
from .training_spec import TrainingJob
from .world import World

if TYPE_CHECKING:
    from ...planning.settings import Settings

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


def plan(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    """Services and jobs; models and runtimes are facts that these refer to."""
    result = Plan()
    config, problems = configured(settings.ome, manifests)
    result.problems += problems
    world = World.of(manifests)
    services: dict[tuple[str, str], Parts] = {}
    for manifest in manifests:
        if isinstance(manifest, BaseModel | ServingRuntime):
            result.problems += [(manifest, problem) for problem in fact_problems(manifest, config)]
        if isinstance(manifest, InferenceService):
            parts = _prepared(manifest, world, config, result)
            if parts:
                services[manifest.namespace, manifest.name] = parts
                result.services.append((manifest, rendered(parts)))
    targets = Targets(services, manifests, settings)
    for manifest in manifests:
        if isinstance(manifest, BenchmarkJob):
            _plan_benchmark(manifest, targets, config, result)
        elif isinstance(manifest, TrainingJob):
            result.services.append((manifest, training_job.rendered(Training.of(manifest, config))))
    return result


def _prepared(manifest: InferenceService, world: World, settings: OMESettings, result: Plan) -> Parts | None:
    service = with_keys(manifest, settings)
    acting = acting_keys(service.metadata.labels, service.metadata.annotations, settings)
    admission = admitted(service, world, acting)
    result.problems += [(manifest, problem) for problem in admission.problems]
    if any(problem.severity == "error" for problem in admission.problems):
        return None
    return prepared(service, admission.model, admission.runtime, settings)


@dataclass(frozen=True)
class Targets:
    """The services that a benchmark may measure: OME's own, and those of the stack's other families."""

    own: Mapping[tuple[str, str], Parts]
    manifests: Sequence[Manifest]
    settings: Settings

    def find(self, endpoint: Endpoint) -> Measured | None:
        direct, service = endpoint.endpoint, endpoint.inferenceService
        if direct:
            return Measured(direct.url, direct.apiFormat, direct.modelName or "")
        if service is None:
            return None
        parts = self.own.get((service.namespace, service.name))
        if parts:
            return of_ome(parts)
        return self._others.get((service.namespace, service.name))

    @cached_property
    def _others(self) -> dict[tuple[str, str], Measured]:
        return of_other_families(self.manifests, self.settings)


def _target_problems(target: Measured | None) -> Iterator[Problem]:
    path = "spec.endpoint.inferenceService"
    if target is None:
        yield Problem(path, "no manifest of the stack makes it", code="unknown-service")
    elif not target.url:
        message = "has no address of its own: give that of its gateway as spec.endpoint.endpoint.url"
        yield Problem(path, message, code="unknown-service")


def _plan_benchmark(manifest: BenchmarkJob, targets: Targets, settings: OMESettings, result: Plan) -> None:
    spec = benchmark_job.completed(manifest, settings)
    problems = list(job_problems(spec))
    target = targets.find(spec.endpoint) if spec.endpoint else None
    if not problems:
        problems += _target_problems(target)
    result.problems += [(manifest, problem) for problem in problems]
    if target is not None and target.url and all(problem.severity != "error" for problem in problems):
        acting = acting_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
        benchmark = Benchmark(manifest, spec, target, acting, settings)
        result.services.append((manifest, benchmark_job.rendered(benchmark)))
