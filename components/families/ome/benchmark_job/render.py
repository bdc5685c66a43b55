"""A BenchmarkJob as a batch/v1 Job that runs genai-bench."""

from collections.abc import Mapping
from functools import partial

from ....findings import Problem
from ....kubernetes.model import read
from ....kubernetes.objects import Object
from ....kubernetes.pod import PodSpec
from ....kubernetes.pod_checks import pod_problems
from ....kubernetes.rendered import RenderedComponent, owned_records
from ....kubernetes.source import Source, at
from ....ome_keys.effective import effective_keys
from ....ome_keys.network_policy import security_problems
from ....ome_keys.persistent_volume_claim import claim, claim_name, storage_problems
from ....ome_keys.pod_template import contradictions
from ... import Pending, Plan, Target
from ..inference_service.context import Context
from ..job_status import observe_job, runs_again
from ..settings import OMESettings
from .context import Benchmark, completed
from .job import job
from .spec import BenchmarkJob
from .target import Measured, of_address, of_ome, of_other_family
from .validation import contradicted, job_problems, target_problems, tokenizer_problems

COMPONENT = "BenchmarkJobComponent"


def rendered(benchmark: Benchmark) -> RenderedComponent:
    manifest, effective = benchmark.manifest, benchmark.effective
    storage = claim(claim_name(manifest.name), manifest.namespace, benchmark.labels(), effective)
    objects: dict[str, Object] = {**({"storage": storage} if storage else {}), "job": job(benchmark)}
    pod = objects["job"]["spec"]["template"]
    model, problems = read(PodSpec, pod["spec"])
    image = "spec.podOverride.containers[0].image"
    problems += [one for one in pod_problems(model, "spec.podOverride") if one.path != image] if model else []
    problems += security_problems(pod, effective, "spec.podOverride")
    problems += [
        *contradictions(pod, effective, benchmark.settings),
        *storage_problems(effective, 1),
        *contradicted(benchmark),
        *tokenizer_problems(benchmark),
    ]
    if not pod["spec"]["containers"][0].get("image"):
        message = "is required; write the image of genai-bench here or under settings.ome.benchmarkjob.podConfig"
        problems.append(Problem("spec.podOverride.image", message, code="required"))
    problems += runs_again(objects["job"]["spec"], "settings.ome.benchmarkjob")
    return RenderedComponent(
        component=COMPONENT,
        kind=manifest.kind,
        namespace=manifest.namespace,
        name=manifest.name,
        records=owned_records(objects),
        observe=partial(observe_job, "job", {}),
        problems=tuple(problems),
        after=benchmark.target.objects,
    )


def plan(
    source: Source, manifest: BenchmarkJob, services: Mapping[tuple[str, str], Context], settings: OMESettings
) -> Plan:
    """The job, or what renders it when the service that it measures is not one of OME's."""
    spec = completed(manifest, settings)
    direct = spec.endpoint.endpoint if spec.endpoint else None
    if direct:
        return _of_target(source, manifest, settings, of_address(direct))
    wanted = spec.endpoint.inferenceService if spec.endpoint else None
    if wanted is None:
        return _of_target(source, manifest, settings, None)
    service = services.get((wanted.namespace, wanted.name))
    if service:
        return _of_target(source, manifest, settings, of_ome(service))

    def render_with(target: Target | None) -> Plan:
        return _of_target(source, manifest, settings, of_other_family(target) if target else None)

    return Plan(pending=[Pending(source, wanted.namespace, wanted.name, render_with)])


def _of_target(source: Source, manifest: BenchmarkJob, settings: OMESettings, target: Measured | None) -> Plan:
    spec = completed(manifest, settings)
    problems = list(job_problems(spec))
    if not problems:
        problems += target_problems(target, spec.endpoint)
    result = Plan(problems=list(at(source, problems)))
    if target is not None and target.url and all(problem.severity != "error" for problem in problems):
        effective = effective_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
        benchmark = Benchmark(manifest, spec, target, effective, settings)
        result.services.append(rendered(benchmark).of(source))
    return result
