"""A BenchmarkJob as a batch/v1 Job that runs genai-bench.

Mirrors sgl-project/ome pkg/controller/v1beta1/benchmark/reconcilers/job/job.go at v0.1.5.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ....findings import Problem
from ....kubernetes.model import dump, read
from ....kubernetes.objects import Object
from ....kubernetes.pod import PodSpec
from ....kubernetes.pod_checks import pod_problems
from ....kubernetes.pod_edits import with_env
from ....kubernetes.rendered import RenderedComponent, owned_records
from ....kubernetes.source import Source, at
from ....kubernetes.strategic_merge import merge
from ....kubernetes.values import without_empty
from ....ome_keys import keys
from ....ome_keys.objects import persistent_volume_claim, storage_problems
from ....ome_keys.pod_template import change_template, contradictions, security_problems
from ....ome_keys.vocabulary import effective_keys
from ... import Pending, Plan, Target
from ..inference_service.context import Context
from ..job_status import observe_job, runs_again
from ..settings import OMESettings, resources
from .arguments import arguments, claim_volume
from .context import Benchmark, Measured, completed, of_address, of_ome, of_other_family
from .spec import BenchmarkJob
from .validation import contradicted, job_problems, name_problems, target_problems, tokenizer_problems

CONTAINER = "genai-bench"
_GPU_NODES = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_KEPT = frozenset([keys.LAST_APPLIED_CONFIGURATION, keys.RESOURCE_VERSION])
"""Tools' annotations that the Job keeps but its pods don't: a change to one would run the Job again."""


def job(benchmark: Benchmark) -> Object:
    manifest = benchmark.manifest
    spec: dict[str, Any] = {"backoffLimit": 0, "template": _template(benchmark)}
    if benchmark.settings.profile == "document":
        spec |= _limits(benchmark)
    kept = {key: value for key, value in benchmark.effective.items() if key in _KEPT}
    metadata = {
        "name": manifest.name,
        "namespace": manifest.namespace,
        "labels": benchmark.labels(),
        "annotations": {**kept, **benchmark.annotations()},
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _limits(benchmark: Benchmark) -> dict[str, Any]:
    """A deadline, if the number of iterations is known, and when the finished Job is deleted."""
    spec, config = benchmark.spec, benchmark.settings.benchmarkjob
    limits: dict[str, Any] = {}
    iterations = len(spec.trafficScenarios) * len(spec.numConcurrency)
    if iterations and spec.maxTimePerIteration:
        limits["activeDeadlineSeconds"] = spec.maxTimePerIteration * 60 * iterations + config.slackSeconds
    if config.ttlSecondsAfterFinished is not None:
        limits["ttlSecondsAfterFinished"] = config.ttlSecondsAfterFinished
    return limits


def _template(benchmark: Benchmark) -> dict[str, Any]:
    container, volumes = _container(benchmark), _volumes(benchmark)
    container["volumeMounts"] = [mount for _, mount in volumes]
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "containers": [without_empty(container)],
        "tolerations": [_GPU_NODES],
    }
    if volumes:
        spec["volumes"] = [volume for volume, _ in volumes]
    model = benchmark.target.model
    if model and model.node_labels and benchmark.settings.modelNodeSelector:
        spec["nodeSelector"] = model.node_labels
    spec = _overridden(spec, benchmark)
    template = {"metadata": {"labels": benchmark.labels(), "annotations": benchmark.annotations()}, "spec": spec}
    return change_template(template, benchmark.effective, benchmark.settings)


def _container(benchmark: Benchmark) -> dict[str, Any]:
    config, override = benchmark.settings.benchmarkjob.podConfig, benchmark.spec.podOverride
    # OME itself names the container like the job until the pod is overridden.
    upstream = benchmark.settings.profile == "upstream" and override is None
    env: list[dict[str, Any]] = [{"name": "ENABLE_UI", "value": "false"}]
    secret = benchmark.spec.huggingFaceSecretReference
    if secret:
        key = {"name": secret.name, "key": "HUGGINGFACE_API_KEY"}
        env.append({"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": key}})
    container = {
        "name": benchmark.manifest.name if upstream else CONTAINER,
        "image": (override and override.image) or config.image,
        "command": ["genai-bench"],
        "args": arguments(benchmark),
        "env": env,
        "resources": resources(config),
    }
    more = []
    model = benchmark.target.model
    if model and model.path:
        more.append({"name": "MODEL_PATH", "value": model.path})
    if keys.BENCHMARK_TARGET_QPS in benchmark.effective:
        more.append({"name": "TARGET_QPS", "value": benchmark.effective[keys.BENCHMARK_TARGET_QPS]})
    return with_env(container, more)


def _volumes(benchmark: Benchmark) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    output, model = benchmark.spec.outputLocation, benchmark.target.model
    volumes = [claim_volume(output) if output else None, model.volume() if model else None]
    return [volume for volume in volumes if volume]


def _overridden(spec: dict[str, Any], benchmark: Benchmark) -> dict[str, Any]:
    override = benchmark.spec.podOverride
    if override is None:
        return spec
    changes = dump(override)
    in_container = ("env", "envFrom", "volumeMounts", "resources")
    container = {"name": CONTAINER, **{field: changes[field] for field in in_container if field in changes}}
    in_pod = {field: value for field, value in changes.items() if field not in (*in_container, "image")}
    return merge(spec, {**in_pod, "containers": [container]})


COMPONENT = "BenchmarkJobComponent"


def rendered(benchmark: Benchmark) -> RenderedComponent:
    manifest, effective = benchmark.manifest, benchmark.effective
    storage = persistent_volume_claim(manifest.name, manifest.namespace, benchmark.labels(), effective)
    objects: dict[str, Object] = {**storage, "job": job(benchmark)}
    pod = objects["job"]["spec"]["template"]
    model, problems = read(PodSpec, pod["spec"])
    image = "spec.podOverride.containers[0].image"
    problems += [one for one in pod_problems(model, "spec.podOverride") if one.path != image] if model else []
    problems += security_problems(pod, effective, "spec.podOverride")
    problems += [*contradictions(pod, effective, benchmark.settings), *storage_problems(effective, 1)]
    problems += [*contradicted(benchmark), *tokenizer_problems(benchmark), *name_problems(benchmark.target)]
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
        builds_on=benchmark.target.builds_on,
    )


def plan(
    source: Source, manifest: BenchmarkJob, services: Mapping[tuple[str, str], Context], settings: OMESettings
) -> Plan:
    """The plan for a job. It is pending if the target is not one of OME's services."""
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
