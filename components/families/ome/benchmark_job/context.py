"""What a BenchmarkJob measures and how, completed by its platform's settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....ome_keys import keys
from ....ome_keys.pod_template import monitoring
from ..fields import StorageSpec
from ..metadata import standard_labels
from ..settings import OMESettings
from .spec import BenchmarkJob, BenchmarkJobSpec
from .target import Measured

_LABEL = "benchmark"


@dataclass(frozen=True)
class Benchmark:
    """A job with its spec completed, what it measures, and the documented keys that act."""

    manifest: BenchmarkJob
    spec: BenchmarkJobSpec
    target: Measured
    effective: Mapping[str, Any]
    settings: OMESettings

    def labels(self) -> dict[str, Any]:
        """The label of OME's controller, and in the profile ``document`` the documented ones, of the Job and its
        pods."""
        name = self.manifest.name
        if self.settings.profile != "document":
            return {_LABEL: name}
        documented = {key: value for key, value in self.effective.items() if key in self.manifest.metadata.labels}
        target = self.spec.endpoint.inferenceService if self.spec.endpoint else None
        documented_here = {keys.BENCHMARK_JOB_NAME: name, keys.BENCHMARK_TASK_TYPE: self.spec.task}
        documented_here |= {keys.BENCHMARK_TARGET_SERVICE: target.name} if target else {}
        standard = standard_labels("benchmark", name, self.settings.version)
        return {
            _LABEL: name,
            **standard,
            **documented,
            **{str(key): value for key, value in documented_here.items()},
        }

    def annotations(self) -> dict[str, Any]:
        return {"logging-forward": "true", **monitoring(self.effective)}


def completed(manifest: BenchmarkJob, settings: OMESettings) -> BenchmarkJobSpec:
    """The spec with what the platform's settings fill in."""
    uri = settings.benchmarkjob.outputStorageUri
    if manifest.spec.outputLocation is not None or not uri:
        return manifest.spec
    return manifest.spec.model_copy(update={"outputLocation": StorageSpec(storageUri=uri)})
