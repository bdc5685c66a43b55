"""What a BenchmarkJob measures and how, completed by its platform's settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....ome_keys import keys
from ....ome_keys.effective import effective_keys
from ....ome_keys.values import seconds
from ..fields import StorageSpec
from ..settings import OMESettings
from .spec import BenchmarkJob, BenchmarkJobSpec, Endpoint, Target
from .target import Measured


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
    length = length_of(effective)
    if spec.maxTimePerIteration is None and length > 0:
        updates["maxTimePerIteration"] = math.ceil(length / 60)
    if spec.maxRequestsPerIteration is None and length > 0 and keys.BENCHMARK_TARGET_QPS in effective:
        updates["maxRequestsPerIteration"] = math.ceil(float(str(effective[keys.BENCHMARK_TARGET_QPS])) * length)
    if spec.outputLocation is None:
        uri = _default_output(manifest, effective, settings)
        updates |= {"outputLocation": StorageSpec(storageUri=uri)} if uri else {}
    return spec.model_copy(update=updates)


def length_of(effective: Mapping[str, Any]) -> float:
    """How long an iteration runs as the keys say it, 0 where they don't."""
    return max(seconds(str(effective.get(keys.BENCHMARK_DURATION, ""))) or 0, 0)


def _default_output(manifest: BenchmarkJob, effective: Mapping[str, Any], settings: OMESettings) -> str:
    if keys.STORAGE_SIZE in effective:
        return f"pvc://{claim_name(manifest)}/results"
    return settings.benchmarkjob.outputStorageUri


def claim_name(manifest: BenchmarkJob) -> str:
    return f"{manifest.name}-storage"
