"""The Job that runs genai-bench.

Mirrors sgl-project/ome pkg/controller/v1beta1/benchmark/reconcilers/job/job.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.model import dump
from ....kubernetes.objects import Object
from ....kubernetes.pod_edits import with_env
from ....kubernetes.strategic_merge import merge
from ....kubernetes.values import without_empty
from ....ome_keys import keys
from ....ome_keys.pod_template import change_template
from .arguments import arguments
from .context import Benchmark
from .output import claim_volume

CONTAINER = "genai-bench"
_GPU_NODES = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_KEPT = frozenset([keys.LAST_APPLIED_CONFIGURATION, keys.RESOURCE_VERSION])
"""Annotations of tools that the Job keeps, but not its pods: a change of one would run it again."""


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
    """A deadline where the number of iterations is known, and when the finished job goes."""
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
    env: list[dict[str, Any]] = [{"name": "ENABLE_UI", "value": "false"}]
    secret = benchmark.spec.huggingFaceSecretReference
    if secret:
        key = {"name": secret.name, "key": "HUGGINGFACE_API_KEY"}
        env.append({"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": key}})
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
    return with_env(container, more)


def _container_name(benchmark: Benchmark) -> str:
    """One name for good; OME itself names the container like the job until the pod is overridden."""
    upstream = benchmark.settings.profile == "upstream" and benchmark.spec.podOverride is None
    return benchmark.manifest.name if upstream else CONTAINER


def _volumes(benchmark: Benchmark) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    volumes = []
    output = claim_volume(benchmark.spec.outputLocation) if benchmark.spec.outputLocation else None
    if output:
        volumes.append(output)
    model = benchmark.target.model
    weights = model.volume() if model else None
    return [*volumes, *([weights] if weights else [])]


def _overridden(spec: dict[str, Any], benchmark: Benchmark) -> dict[str, Any]:
    """The pod with the manifest's changes merged in."""
    override = benchmark.spec.podOverride
    if override is None:
        return spec
    changes = dump(override)
    in_container = ("env", "envFrom", "volumeMounts", "resources")
    container = {"name": CONTAINER, **{field: changes[field] for field in in_container if field in changes}}
    in_pod = {
        field: changes[field] for field in ("tolerations", "nodeSelector", "affinity", "volumes") if field in changes
    }
    return merge(spec, {**in_pod, "containers": [container]})
