"""The command line of genai-bench."""

from __future__ import annotations

import json
from typing import Any

from .context import Benchmark
from .output import words
from .spec import BenchmarkJobSpec


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
