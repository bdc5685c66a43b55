"""What a BenchmarkJob measures and how, completed by its platform's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..fields import StorageSpec
from ..settings import OMESettings
from .spec import BenchmarkJob, BenchmarkJobSpec
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
    """The spec with what the platform's settings fill in."""
    uri = settings.benchmarkjob.outputStorageUri
    if manifest.spec.outputLocation is not None or not uri:
        return manifest.spec
    return manifest.spec.model_copy(update={"outputLocation": StorageSpec(storageUri=uri)})
