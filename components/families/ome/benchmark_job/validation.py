"""Checks of a benchmark that need more than its manifest."""

import math
import re
from collections.abc import Iterator, Sequence

from ....findings import Problem
from ....kubernetes.scalars import describe
from ....ome_keys import keys
from ....ome_keys.complete import duration
from ....ome_keys.flags import overridden
from ..fields import BadUri, StorageSpec, parse
from .arguments import TOKENIZER, scenario_of, unused_parameters
from .context import Benchmark, Measured
from .spec import BenchmarkJobSpec, Endpoint

_TWO = r"\(\d+,\s*\d+\)"
_IMAGE = r"I\(\d+,\s*\d+(,\s*\d+)?\)"
_SCENARIOS = {
    "text-to-text": (rf"N{_TWO}/{_TWO}|U{_TWO}(/{_TWO})?|D{_TWO}", "D(100,100), U(1,2)/(3,4) or N(480,240)/(300,150)"),
    "text-to-embeddings": (r"E\(\d+(,\s*\d+)?\)", "E(64)"),
    "image-to-text": (_IMAGE, "I(512,512)"),
    "image-text-to-text": (_IMAGE, "I(512,512)"),
    "image-to-embeddings": (_IMAGE, "I(512,512)"),
}
_WITHOUT_UPLOAD = frozenset(["hf", "local", "vendor"])


def job_problems(spec: BenchmarkJobSpec) -> Iterator[Problem]:
    """Checks a job's spec after documented keys have filled in fields."""
    required = ("task", "maxTimePerIteration", "maxRequestsPerIteration", "outputLocation")
    for field in required:
        if getattr(spec, field) is None:
            yield Problem(f"spec.{field}", "is required", code="required")
    yield from _endpoint_problems(spec.endpoint)
    if spec.task:
        yield from _scenario_problems(spec.trafficScenarios, spec.task)
    if spec.outputLocation:
        yield from _output_problems(spec.outputLocation)


def _endpoint_problems(endpoint: Endpoint | None) -> Iterator[Problem]:
    stated = [name for name in ("inferenceService", "endpoint") if endpoint and getattr(endpoint, name) is not None]
    if len(stated) != 1:
        message = "must have exactly one of inferenceService and endpoint"
        yield Problem("spec.endpoint", message, code="required" if not stated else "bad-value")


def _scenario_problems(scenarios: Sequence[str], task: str) -> Iterator[Problem]:
    pattern, example = _SCENARIOS[task]
    path = "spec.trafficScenarios"
    if not scenarios and task == "text-to-embeddings":
        message = f"is required, because the built-in scenarios don't fit {task}; write {example}"
        yield Problem(path, message, code="required")
    for scenario in scenarios:
        if re.fullmatch(pattern, scenario):
            if scenario_of(scenario).count(",") < scenario.count(","):
                message = f"{describe(scenario)} is rendered as {scenario_of(scenario)}"
                yield Problem(path, f"{message}, the form that genai-bench 0.0.5 takes", "info", "bad-value")
            continue
        message = f"{describe(scenario)} is not a scenario of {task}; write for example {example}"
        part = re.search(pattern, scenario)
        yield Problem(path, message, "warning" if part else "error", "bad-value")


def _output_problems(output: StorageSpec) -> Iterator[Problem]:
    path = "spec.outputLocation.storageUri"
    if output.storageUri is None:
        yield Problem(path, "is required", code="required")
        return
    try:
        scheme = parse(output.storageUri).scheme
    except BadUri as error:
        yield Problem(path, f"{error}, got {describe(output.storageUri)}", code="bad-value")
        return
    if scheme in _WITHOUT_UPLOAD:
        yield Problem(path, f"{scheme}:// can't store results; use pvc, oci, s3, az, gs or github", code="bad-value")
    if scheme == "github" and parse(output.storageUri)["tag"] not in ("", "latest"):
        yield Problem(path, "has a tag, which genai-bench 0.0.5 does not take; remove it", "warning", "no-effect")
    for name in unused_parameters(output):
        message = f"has no effect, because genai-bench has no argument for it with {scheme}://"
        yield Problem(f"spec.outputLocation.parameters.{name}", message, "warning", "no-effect")


def contradicted(benchmark: Benchmark) -> Iterator[Problem]:
    """Documented keys that fields of the manifest contradict."""
    manifest, effective = benchmark.manifest, benchmark.effective
    asked, minutes = math.ceil(duration(effective) / 60), manifest.spec.maxTimePerIteration
    if asked and minutes not in (None, asked):
        yield overridden(keys.BENCHMARK_DURATION, f"spec.maxTimePerIteration is {minutes}")
    if effective.get(keys.BENCHMARK_JOB_NAME, manifest.name) != manifest.name:
        yield overridden(keys.BENCHMARK_JOB_NAME, f"the job is called {manifest.name}")


def target_problems(target: Measured | None, endpoint: Endpoint | None) -> Iterator[Problem]:
    """Reports a target that no manifest makes or that has no address."""
    path = "spec.endpoint.inferenceService"
    if target is None:
        message = (
            "no manifest of the stack makes it: add its manifest, or give the address of a model service that runs "
        )
        message += "already under spec.endpoint.endpoint (url, apiFormat, modelName)"
        wanted = endpoint.inferenceService.name if endpoint and endpoint.inferenceService else ""
        yield Problem(path, message, code="unknown-service", missing=wanted)
    elif not target.url:
        message = "has no address here; write its gateway's address as spec.endpoint.endpoint.url"
        yield Problem(path, message, code="unknown-service")


def tokenizer_problems(benchmark: Benchmark) -> Iterator[Problem]:
    """Warns if genai-bench can't find the tokenizer: it must be a folder in the pod or a Hugging Face repository."""
    override, tokenizer = benchmark.spec.podOverride, benchmark.target.tokenizer
    has_variable = override is not None and any(variable.name == TOKENIZER for variable in override.env)
    if not has_variable and "/" not in tokenizer:
        what = tokenizer or "of a model without a name"
        message = f"the tokenizer {what} is no Hugging Face repository: write one as the variable {TOKENIZER} under "
        message += "spec.podOverride.env"
        yield Problem("spec.endpoint", message, "warning", "unknown-tokenizer")


def name_problems(target: Measured) -> Iterator[Problem]:
    """Warns if only the pods of the service know the name under which they serve the model."""
    if "$(" in str(target.model_name):
        message = (
            f"serves the model as {target.model_name}, a variable that only its pods know, so every request gets a "
            "404; write the name itself there, or give address and name under spec.endpoint.endpoint"
        )
        yield Problem("spec.endpoint.inferenceService", message, "warning", "served-name")
