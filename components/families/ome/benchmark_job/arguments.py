"""The command line of genai-bench, and the volume of a claim that has its results.

Mirrors sgl-project/ome pkg/controller/v1beta1/benchmark/utils/utils.go at v0.1.5.
Decisions: M3, M4, M5 (docs/decisions).
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ....kubernetes.json_text import from_json as from_json_text
from ..fields import StorageSpec, StorageUri, parse, place_on_claim
from .context import Benchmark
from .spec import BenchmarkJobSpec

API_KEY = "MODEL_API_KEY"
"""Pod variable (``podOverride.env``) with the API key, for APIs that require one."""
TOKENIZER = "MODEL_TOKENIZER"
"""Pod variable with the tokenizer's repository or folder; overrides the one derived from the model."""

_TASKS = {"image-to-text": "image-text-to-text"}
_GPUS = {"A100": "A100-80G"}


def arguments(benchmark: Benchmark) -> list[Any]:
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
    """A reference to the variable, which Kubernetes expands, if the pod has it."""
    variables = spec.podOverride.env if spec.podOverride else []
    return f"$({name})" if any(variable.name == name for variable in variables) else otherwise


def scenario_of(text: str) -> str:
    """The scenario in genai-bench's spelling: without spaces, and for embeddings only the document's tokens."""
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
    """The parameter as a JSON number or boolean if it spells one (``0.0``, ``true``), otherwise as text."""
    try:
        value = from_json_text(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool) else text


VOLUME = "benchmark-output-storage"

_PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "oci": {
        "auth": "--auth",
        "config_file": "--config-file",
        "profile": "--profile",
        "security_token": "--security-token",
        "region": "--region",
    },
    "s3": {
        "aws_access_key_id": "--storage-aws-access-key-id",
        "aws_secret_access_key": "--storage-aws-secret-access-key",
        "aws_profile": "--storage-aws-profile",
        "aws_region": "--storage-aws-region",
    },
    "az": {
        "azure_account_name": "--storage-azure-account-name",
        "azure_account_key": "--storage-azure-account-key",
        "azure_connection_string": "--storage-azure-connection-string",
        "azure_sas_token": "--storage-azure-sas-token",
    },
    "gs": {
        "gcp_project_id": "--storage-gcp-project-id",
        "gcp_credentials_path": "--storage-gcp-credentials-path",
    },
    "github": {"github_token": "--github-token"},
}
"""Parameters of each scheme and their flags, in command-line order."""
_SAID_BY_URI = {"s3": ("aws_region", "region"), "az": ("azure_account_name", "account")}
"""The parameter of each scheme that the URI can also give, and the URI part that has it."""
_PROVIDERS = {"s3": "aws", "az": "azure", "gs": "gcp"}


def words(output: StorageSpec) -> list[Any]:
    """Arguments for a validated location."""
    uri = parse(output.storageUri or "")
    if uri.scheme == "pvc":
        return ["--experiment-base-dir", f"/{uri['path']}"]
    values, flags = _values(uri, output.parameters), _PARAMETERS[uri.scheme]
    options = [word for name, flag in flags.items() if name in values for word in (flag, values[name])]
    return ["--upload-results", *_place(uri), *options]


def unused_parameters(output: StorageSpec) -> list[str]:
    """Parameters of a validated location for which genai-bench has no argument."""
    return sorted(output.parameters.keys() - _PARAMETERS.get(parse(output.storageUri or "").scheme, {}).keys())


def _values(uri: StorageUri, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, completed from the URI; a stated parameter takes precedence."""
    name, part = _SAID_BY_URI.get(uri.scheme, ("", ""))
    said = parameters.get(name) or uri.parts.get(part)
    others = {other: value for other, value in parameters.items() if other != name}
    return {**others, name: said} if said else others


def _place(uri: StorageUri) -> list[str]:
    if uri.scheme == "oci":
        return ["--namespace", uri["namespace"], "--storage-bucket", uri["bucket"], "--storage-prefix", uri["prefix"]]
    if uri.scheme == "github":
        owner, repository = uri["owner"], uri["repository"]
        return ["--storage-provider", "github", "--github-owner", owner, "--github-repo", repository]
    bucket = uri["container" if uri.scheme == "az" else "bucket"]
    prefix = ["--storage-prefix", uri["prefix"]] if uri["prefix"] else []
    return ["--storage-provider", _PROVIDERS[uri.scheme], "--storage-bucket", bucket, *prefix]


def claim_volume(output: StorageSpec) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Volume and mount of a location on a claim; None for other locations."""
    uri = place_on_claim(output.storageUri)
    if uri is None:
        return None
    volume = {"name": VOLUME, "persistentVolumeClaim": {"claimName": uri["claim"]}}
    return volume, {"name": VOLUME, "mountPath": f"/{uri['path']}", "subPath": uri["path"]}
