"""A BenchmarkJob as a batch/v1 Job that runs genai-bench."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...findings import Problem
from ...kubernetes.model import dump, read
from ...kubernetes.objects import Object, Rendered
from ...kubernetes.pod import PodSpec
from ...kubernetes.pod_checks import pod_problems
from ...kubernetes.secrets import env_secrets
from ...kubernetes.strategic_merge import merge
from ...kubernetes.values import without_empty
from ...ome_keys import keys
from ...ome_keys.effective import effective_keys
from ...ome_keys.flags import overridden
from ...ome_keys.network_policy import security_problems
from ...ome_keys.persistent_volume_claim import claim, storage_problems
from ...ome_keys.pod_template import change_template, contradictions, monitoring
from ...ome_keys.pods import with_missing_env
from ...ome_keys.values import seconds
from . import names
from .benchmark_output import claim_volume, words
from .benchmark_spec import BenchmarkJob, BenchmarkJobSpec, Endpoint, Target
from .benchmark_target import Measured
from .fields import StorageSpec
from .job_status import observe_job, runs_again
from .metadata import standard_labels
from .model_spec import ClusterBaseModel
from .settings import OMESettings

COMPONENT = "BenchmarkJobComponent"
CONTAINER = "genai-bench"

_GPU_NODES = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_OWN_LABEL = "benchmark"
_KEPT = frozenset([keys.LAST_APPLIED_CONFIGURATION, keys.RESOURCE_VERSION])
"""Annotations of tools that the Job keeps, but not its pods: a change of one would run it again."""


@dataclass(frozen=True)
class Benchmark:
    """A job with its spec completed, what it measures, and the documented keys that act."""

    manifest: BenchmarkJob
    spec: BenchmarkJobSpec
    target: Measured
    effective: Mapping[str, Any]
    settings: OMESettings


def completed(manifest: BenchmarkJob, settings: OMESettings) -> BenchmarkJobSpec:
    """The spec with what the documented keys and the platform's settings fill in."""
    spec = manifest.spec
    effective = effective_keys(manifest.metadata.labels, manifest.metadata.annotations, settings)
    updates: dict[str, Any] = {}
    service, task = effective.get(keys.BENCHMARK_TARGET_SERVICE), effective.get(keys.BENCHMARK_TASK_TYPE)
    if spec.endpoint is None and isinstance(service, str):
        updates["endpoint"] = Endpoint(inferenceService=Target(name=service, namespace=manifest.namespace))
    if spec.task is None and task:
        updates["task"] = task
    length = _seconds(effective)
    if spec.maxTimePerIteration is None and length > 0:
        updates["maxTimePerIteration"] = math.ceil(length / 60)
    if spec.maxRequestsPerIteration is None and length > 0 and keys.BENCHMARK_TARGET_QPS in effective:
        updates["maxRequestsPerIteration"] = math.ceil(float(str(effective[keys.BENCHMARK_TARGET_QPS])) * length)
    if spec.outputLocation is None:
        uri = _default_output(manifest, effective, settings)
        updates |= {"outputLocation": StorageSpec(storageUri=uri)} if uri else {}
    return spec.model_copy(update=updates)


def _contradicted(benchmark: Benchmark) -> Iterator[Problem]:
    """Keys that the manifest's own fields contradict."""
    manifest, effective = benchmark.manifest, benchmark.effective
    asked, minutes = math.ceil(_seconds(effective) / 60), manifest.spec.maxTimePerIteration
    if asked and minutes not in (None, asked):
        yield overridden(keys.BENCHMARK_DURATION, f"spec.maxTimePerIteration is {minutes}")
    if effective.get(keys.BENCHMARK_JOB_NAME, manifest.name) != manifest.name:
        yield overridden(keys.BENCHMARK_JOB_NAME, f"the job is called {manifest.name}")


def _seconds(effective: Mapping[str, Any]) -> float:
    """How long an iteration runs as the keys say it, 0 where they don't."""
    return max(seconds(str(effective.get(keys.BENCHMARK_DURATION, ""))) or 0, 0)


def _default_output(manifest: BenchmarkJob, effective: Mapping[str, Any], settings: OMESettings) -> str:
    if keys.STORAGE_SIZE in effective:
        return f"pvc://{claim_name(manifest)}/results"
    return settings.benchmarkjob.outputStorageUri


def claim_name(manifest: BenchmarkJob) -> str:
    return f"{manifest.name}-storage"


def rendered(benchmark: Benchmark) -> Rendered:
    manifest, effective = benchmark.manifest, benchmark.effective
    storage = claim(claim_name(manifest), manifest.namespace, _labels(benchmark), effective)
    objects: dict[str, Object] = {**({"storage": storage} if storage else {}), "job": _job(benchmark)}
    pod = objects["job"]["spec"]["template"]
    model, problems = read(PodSpec, pod["spec"])
    problems += list(pod_problems(model, "spec.podOverride")) if model else []
    problems += security_problems(pod, effective, "spec.podOverride")
    problems += [
        *contradictions(pod, effective, benchmark.settings),
        *storage_problems(effective, 1),
        *_contradicted(benchmark),
    ]
    if benchmark.spec.podOverride:
        problems += env_secrets(benchmark.spec.podOverride.env, "spec.podOverride.env")
    if not pod["spec"]["containers"][0].get("image"):
        message = "is required: write the image of genai-bench here or under settings.ome.benchmarkjob.podConfig"
        problems.append(Problem("spec.podOverride.image", message, code="required"))
    problems += runs_again(objects["job"]["spec"], "settings.ome.benchmarkjob")
    return Rendered(
        component=COMPONENT,
        kind=manifest.kind,
        namespace=manifest.namespace,
        name=manifest.name,
        objects=objects,
        observe=partial(observe_job, "job", {}),
        problems=tuple(problems),
        after=benchmark.target.objects,
    )


def _job(benchmark: Benchmark) -> Object:
    manifest, settings = benchmark.manifest, benchmark.settings
    labels, annotations = _labels(benchmark), _annotations(benchmark)
    template = _template(benchmark, labels, annotations)
    spec: dict[str, Any] = {"backoffLimit": 0, "template": template}
    if settings.profile == "document":
        spec |= _limits(benchmark)
    kept = {key: value for key, value in benchmark.effective.items() if key in _KEPT}
    metadata = {
        "name": manifest.name,
        "namespace": manifest.namespace,
        "labels": labels,
        "annotations": {**kept, **annotations},
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _limits(benchmark: Benchmark) -> dict[str, Any]:
    """A deadline where the number of iterations is known, and when the finished job goes."""
    spec, config = benchmark.spec, benchmark.settings.benchmarkjob
    found: dict[str, Any] = {}
    iterations = len(spec.trafficScenarios) * len(spec.numConcurrency)
    if iterations and spec.maxTimePerIteration:
        found["activeDeadlineSeconds"] = spec.maxTimePerIteration * 60 * iterations + config.slackSeconds
    if config.ttlSecondsAfterFinished is not None:
        found["ttlSecondsAfterFinished"] = config.ttlSecondsAfterFinished
    return found


def _labels(benchmark: Benchmark) -> dict[str, Any]:
    """OME's own label, and in the profile ``document`` the documented ones."""
    name = benchmark.manifest.name
    if benchmark.settings.profile != "document":
        return {_OWN_LABEL: name}
    documented = {key: value for key, value in benchmark.effective.items() if key in benchmark.manifest.metadata.labels}
    target = benchmark.spec.endpoint.inferenceService if benchmark.spec.endpoint else None
    own = {keys.BENCHMARK_JOB_NAME: name, keys.BENCHMARK_TASK_TYPE: benchmark.spec.task}
    own |= {keys.BENCHMARK_TARGET_SERVICE: target.name} if target else {}
    standard = standard_labels("benchmark", name, benchmark.settings.version)
    return {_OWN_LABEL: name, **standard, **documented, **{str(key): value for key, value in own.items()}}


def _annotations(benchmark: Benchmark) -> dict[str, Any]:
    return {"logging-forward": "true", **monitoring(benchmark.effective)}


def _template(benchmark: Benchmark, labels: dict[str, Any], annotations: dict[str, Any]) -> dict[str, Any]:
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
    if model and benchmark.settings.modelNodeSelector:
        namespace = "" if isinstance(model, ClusterBaseModel) else model.namespace
        spec["nodeSelector"] = {names.node_label(model.name, namespace): "Ready"}
    spec = _overridden(spec, benchmark)
    template = {"metadata": {"labels": dict(labels), "annotations": dict(annotations)}, "spec": spec}
    return change_template(template, benchmark.effective, benchmark.settings)


def _container(benchmark: Benchmark) -> dict[str, Any]:
    config, override = benchmark.settings.benchmarkjob.podConfig, benchmark.spec.podOverride
    env: list[dict[str, Any]] = [{"name": "ENABLE_UI", "value": "false"}]
    secret = benchmark.spec.huggingFaceSecretReference
    if secret:
        key = {"name": secret.name, "key": "HUGGINGFACE_API_KEY"}
        env.append({"name": "HUGGINGFACE_API_KEY", "valueFrom": {"secretKeyRef": key}})
    container = {
        "name": _container_name(benchmark),
        "image": (override and override.image) or config.image,
        "command": ["genai-bench"],
        "args": arguments(benchmark),
        "env": env,
        "resources": {
            "limits": {"cpu": config.cpuLimit, "memory": config.memoryLimit},
            "requests": {"cpu": config.cpuRequest, "memory": config.memoryRequest},
        },
    }
    more = []
    model = benchmark.target.model
    if model and model.path:
        more.append({"name": "MODEL_PATH", "value": model.path})
    if keys.BENCHMARK_TARGET_QPS in benchmark.effective:
        more.append({"name": "TARGET_QPS", "value": benchmark.effective[keys.BENCHMARK_TARGET_QPS]})
    return with_missing_env(container, more)


def _container_name(benchmark: Benchmark) -> str:
    """One name for good; OME itself names the container like the job until the pod is overridden."""
    upstream = benchmark.settings.profile == "upstream" and benchmark.spec.podOverride is None
    return benchmark.manifest.name if upstream else CONTAINER


def _volumes(benchmark: Benchmark) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    found = []
    output = claim_volume(benchmark.spec.outputLocation) if benchmark.spec.outputLocation else None
    if output:
        found.append(output)
    model = benchmark.target.model
    if model and model.path:
        name = names.volume(model.name)
        mount = {"name": name, "mountPath": model.path, "readOnly": True}
        found.append(({"name": name, "hostPath": {"path": model.path}}, mount))
    return found


def _overridden(spec: dict[str, Any], benchmark: Benchmark) -> dict[str, Any]:
    """The pod with the manifest's changes merged in."""
    override = benchmark.spec.podOverride
    if override is None:
        return spec
    given = dump(override)
    in_container = ("env", "envFrom", "volumeMounts", "resources")
    container = {"name": CONTAINER, **{field: given[field] for field in in_container if field in given}}
    in_pod = {field: given[field] for field in ("tolerations", "nodeSelector", "affinity", "volumes") if field in given}
    return merge(spec, {**in_pod, "containers": [container]})


def arguments(benchmark: Benchmark) -> list[Any]:
    """The words of genai-bench's command line, in a fixed order."""
    spec, target = benchmark.spec, benchmark.target
    found: list[Any] = ["benchmark", "--api-backend", target.backend, "--api-base", target.url]
    found += ["--api-model-name", target.model_name, "--task", spec.task]
    found += ["--max-time-per-run", str(spec.maxTimePerIteration)]
    found += ["--max-requests-per-run", str(spec.maxRequestsPerIteration)]
    if spec.endpoint and spec.endpoint.inferenceService:
        found += ["--api-key", "sample-key"]
        if target.model and target.model.path:
            found += ["--model-tokenizer", target.model.path]
    found += [word for scenario in spec.trafficScenarios for word in ("--traffic-scenario", scenario)]
    found += [word for number in spec.numConcurrency for word in ("--num-concurrency", str(number))]
    if spec.resultFolderName:
        found += ["--experiment-folder-name", spec.resultFolderName]
    found += _server(spec)
    if spec.additionalRequestParams and benchmark.settings.profile == "document":
        parameters = {name: _typed(value) for name, value in spec.additionalRequestParams.items()}
        found += ["--additional-request-params", json.dumps(parameters, sort_keys=True)]
    return found + (words(spec.outputLocation) if spec.outputLocation else [])


def _server(spec: BenchmarkJobSpec) -> list[Any]:
    facts = spec.serviceMetadata
    if facts is None:
        return []
    pairs = (
        ("--server-engine", facts.engine),
        ("--server-gpu-type", facts.gpuType),
        ("--server-version", facts.version),
        ("--server-gpu-count", str(facts.gpuCount)),
    )
    return [word for pair in pairs for word in pair]


def _typed(text: str) -> Any:
    """A parameter as the JSON value that it spells: 0.0, true; anything else stays text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool) else text
