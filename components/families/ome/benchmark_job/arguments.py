"""The command line of genai-bench.

Mirrors sgl-project/ome pkg/controller/v1beta1/benchmark/utils/utils.go at v0.1.5.
Decisions: M3, M4, M5 (docs/decisions).
"""

import json
import re
from typing import Any

from ....kubernetes.json_text import from_json as from_json_text
from .context import Benchmark
from .output import words
from .spec import BenchmarkJobSpec

API_KEY = "MODEL_API_KEY"
"""Variable of the pod (podOverride.env) with the key of an API that wants one."""
TOKENIZER = "MODEL_TOKENIZER"
"""Variable of the pod with the repository or folder of the tokenizer, where the model's name does not say it."""

_TASKS = {"image-to-text": "image-text-to-text"}
"""OME's name of a task to genai-bench's, where they differ."""
_GPUS = {"A100": "A100-80G"}


def arguments(benchmark: Benchmark) -> list[Any]:
    """The words of genai-bench's command line, in a fixed order."""
    spec, target = benchmark.spec, benchmark.target
    words_: list[Any] = ["benchmark", "--api-backend", target.backend, "--api-base", target.url]
    words_ += ["--api-model-name", target.model_name, "--task", _TASKS.get(str(spec.task), spec.task)]
    words_ += ["--max-time-per-run", str(spec.maxTimePerIteration)]
    words_ += ["--max-requests-per-run", str(spec.maxRequestsPerIteration)]
    words_ += ["--api-key", _from_env(spec, API_KEY, "sample-key")]
    words_ += ["--model-tokenizer", _from_env(spec, TOKENIZER, target.tokenizer)]
    words_ += [word for scenario in spec.trafficScenarios for word in ("--traffic-scenario", scenario_of(scenario))]
    words_ += [word for number in spec.numConcurrency for word in ("--num-concurrency", str(number))]
    if spec.resultFolderName:
        words_ += ["--experiment-folder-name", spec.resultFolderName]
    words_ += _server(spec)
    if spec.additionalRequestParams and benchmark.settings.profile == "document":
        parameters = {name: _typed(value) for name, value in spec.additionalRequestParams.items()}
        words_ += ["--additional-request-params", json.dumps(parameters, sort_keys=True)]
    return words_ + (words(spec.outputLocation) if spec.outputLocation else [])


def _from_env(spec: BenchmarkJobSpec, name: str, otherwise: str) -> str:
    """The value of a variable, which Kubernetes puts in, where the pod has it."""
    variables = spec.podOverride.env if spec.podOverride else []
    return f"$({name})" if any(variable.name == name for variable in variables) else otherwise


def scenario_of(text: str) -> str:
    """A scenario as genai-bench spells it: without spaces, and embeddings with the tokens of a document alone."""
    plain = "".join(text.split())
    return re.sub(r"^E\((\d+),\d+\)$", r"E(\1)", plain)


def _server(spec: BenchmarkJobSpec) -> list[Any]:
    facts = spec.serviceMetadata
    if facts is None:
        return []
    pairs = (
        ("--server-engine", facts.engine),
        ("--server-gpu-type", _GPUS.get(facts.gpuType, facts.gpuType)),
        ("--server-version", facts.version),
        ("--server-gpu-count", str(facts.gpuCount)),
    )
    return [word for pair in pairs for word in pair]


def _typed(text: str) -> Any:
    """A parameter as the JSON value that it spells: 0.0, true; anything else stays text."""
    try:
        value = from_json_text(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool) else text
