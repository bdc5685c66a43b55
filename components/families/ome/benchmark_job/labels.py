"""Labels and annotations of a benchmark's Job and pods."""

from __future__ import annotations

from typing import Any

from ....ome_keys import keys
from ....ome_keys.pod_template import monitoring
from ..metadata import standard_labels
from .context import Benchmark

_OWN_LABEL = "benchmark"


def labels_of(benchmark: Benchmark) -> dict[str, Any]:
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


def annotations_of(benchmark: Benchmark) -> dict[str, Any]:
    return {"logging-forward": "true", **monitoring(benchmark.effective)}
