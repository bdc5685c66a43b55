"""Renders services and jobs from OME's manifests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...kubernetes.model import Manifest
from ...kubernetes.source import Source, at
from ...ome_keys.vocabulary import effective_keys
from .. import Plan, not_covered
from .base_model import BaseModel, ClusterBaseModel
from .benchmark_job import job
from .benchmark_job.spec import BenchmarkJob
from .context import Catalog
from .inference_service import render as inference_service
from .inference_service.admission import admitted
from .inference_service.context import Context, context_of
from .inference_service.spec import InferenceService
from .metadata import idle_key_problems
from .serving_runtime import ClusterServingRuntime, ServingRuntime
from .settings import OMESettings, configured
from .training_job import render as training_job
from .training_job.context import Training
from .training_job.spec import TrainingJob

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


class NotCovered(not_covered.NotCovered):
    """Kinds of OME v0.1.5 that are not covered."""

    REASONS = {
        "AcceleratorClass": "only OME's operator finds nodes by it; here the names in runtimes and services decide",
        "FineTunedWeight": "only OME's model agent puts it on nodes; name adapters in the engine's arguments",
    }


KINDS: Mapping[tuple[str, str], type[Manifest]] = {
    **{(version, model.__name__): model for version in VERSIONS for model in MODELS},
    **{(version, kind): NotCovered for version in VERSIONS for kind in NotCovered.REASONS},
}


def render(sources: Sequence[Source], settings: OMESettings) -> Plan:
    """Render services and jobs. Models and runtimes render no objects; services and jobs refer to them."""
    result = Plan()
    config, problems = configured(settings, sources)
    result.problems += problems
    catalog = Catalog.of(sources)
    result.problems += catalog.problems
    services: dict[tuple[str, str], Context] = {}
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, BaseModel | ServingRuntime):
            result.problems += at(source, idle_key_problems(manifest, config))
        if isinstance(manifest, InferenceService):
            context = _context(source, manifest, catalog, config, result)
            if context:
                services[manifest.namespace, manifest.name] = context
                result.services.append(inference_service.rendered(context).of(source))
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, BenchmarkJob):
            result.add(job.plan(source, manifest, services, config))
        elif isinstance(manifest, TrainingJob):
            result.services.append(training_job.rendered(Training.of(manifest, config)).of(source))
    return result


def _context(
    source: Source, manifest: InferenceService, catalog: Catalog, settings: OMESettings, result: Plan
) -> Context | None:
    service = manifest.migrated()
    effective = effective_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
    admission = admitted(service, catalog, effective)
    result.problems += at(source, admission.problems)
    if any(problem.severity == "error" for problem in admission.problems):
        return None
    context = context_of(service, admission.model, admission.runtime, settings)
    model = [admission.model] if admission.model else []
    runtimes = catalog.lineage(admission.runtime) if admission.runtime else ()
    return replace(context, builds_on=tuple(used.key for used in (*model, *runtimes)))
