"""BenchmarkJob of ome.io: requests sent to one model service, and the figures kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import PlainValidator, WithJsonSchema

from ...findings import Problem
from ...kubernetes.core import EnvFromSource, EnvVar, ResourceRequirements, Toleration, Volume, VolumeMount
from ...kubernetes.metadata import is_dns_label
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.scalars import FreeForm, Int32, Name, Opaque, PassedText, Strings, Text, describe
from ...ome_keys.values import wrong
from .fields import StorageSpec
from .own_metadata import metadata_problems
from .storage_uri import BadUri, parse

Task = Literal["text-to-text", "image-to-text", "text-to-embeddings", "image-to-embeddings"]

_TWO = r"\(\d+,\s*\d+\)"
_SCENARIOS = {
    "text-to-text": (rf"N{_TWO}/{_TWO}|U{_TWO}(/{_TWO})?|D{_TWO}", "D(100,100), U(1,2)/(3,4) or N(480,240)/(300,150)"),
    "text-to-embeddings": (rf"E{_TWO}", "E(64,64)"),
    "image-to-text": (r"I\(\d+,\s*\d+(,\s*\d+)?\)", "I(512,512)"),
    "image-to-embeddings": (r"I\(\d+,\s*\d+(,\s*\d+)?\)", "I(512,512)"),
}
_PARAMETERS = {"temperature": {"type": "number"}, "ignore_eos": {"type": "bool"}}
_WITHOUT_UPLOAD = frozenset(["hf", "local", "vendor"])
_SECRETS = frozenset(
    ["aws_secret_access_key", "azure_account_key", "azure_connection_string", "azure_sas_token", "github_token"]
)


_HTTP = "^https?://"


def _url(value: Any) -> Any:
    if isinstance(value, Opaque) or (isinstance(value, str) and re.match(_HTTP, value)):
        return value
    raise ValueError(f"must start with http:// or https://, got {describe(value)}")


class Target(Spec):
    name: Name
    """Name of the service."""
    namespace: Name
    """Its namespace."""


class DirectEndpoint(Spec):
    url: Annotated[Any, PlainValidator(_url), WithJsonSchema({"type": "string", "pattern": _HTTP})]
    """Address of the API; in a program it may be another component's output."""
    apiFormat: Literal["openai", "oci-cohere", "cohere"]
    """The API that it speaks."""
    modelName: Text | None = None
    """Name of the model in requests."""


class Endpoint(Spec):
    inferenceService: Target | None = None
    """A service, of any family of the stack."""
    endpoint: DirectEndpoint | None = None
    """An API by its address."""


class ServiceMetadata(Spec):
    """Recorded with the results."""

    engine: Literal["vLLM", "SGLang", "TGI"]
    """Engine of the service."""
    version: Text
    """Its version."""
    gpuType: Literal["H100", "A100", "MI300", "A10"]
    """GPU of the service."""
    gpuCount: Int32
    """Number of GPUs."""


class SecretName(Spec):
    name: PassedText
    """Name of the Secret; its key is HUGGINGFACE_API_KEY."""


class PodOverride(Spec):
    image: PassedText | None = None
    """Image instead of the platform's."""
    env: list[EnvVar] = []
    """Further environment variables."""
    envFrom: list[EnvFromSource] = []
    """Environment variables from ConfigMaps and Secrets."""
    volumeMounts: list[VolumeMount] = []
    """Further mounts."""
    resources: ResourceRequirements | None = None
    """Resources over the platform's."""
    tolerations: list[Toleration] | None = None
    """Tolerations instead of the one for GPU nodes."""
    nodeSelector: Strings | None = None
    """Node labels that are required."""
    affinity: FreeForm = None
    """Where the pod should run."""
    volumes: list[Volume] = []
    """Further volumes."""


class BenchmarkJobSpec(Spec):
    huggingFaceSecretReference: SecretName | None = None
    """Secret with the Hugging Face token."""
    endpoint: Endpoint | None = None
    """What is measured."""
    serviceMetadata: ServiceMetadata | None = None
    """Facts about the service."""
    task: Task | None = None
    """Kind of requests."""
    trafficScenarios: list[Text] = []
    """Shapes of requests."""
    numConcurrency: list[Int32] = []
    """Numbers of requests at a time."""
    maxTimePerIteration: Int32 | None = None
    """Minutes for each scenario and concurrency."""
    maxRequestsPerIteration: Int32 | None = None
    """Requests for each scenario and concurrency."""
    additionalRequestParams: dict[Text, Text] = {}
    """Further parameters of requests."""
    dataset: StorageSpec | None = None
    """Data for tasks other than text; has no effect here."""
    outputLocation: StorageSpec | None = None
    """Where results go."""
    resultFolderName: Text | None = None
    """Folder of the results."""
    podOverride: PodOverride | None = None
    """Changes of the pod."""


class BenchmarkJob(Manifest):
    spec: BenchmarkJobSpec = BenchmarkJobSpec()
    """What is measured, how, and where the results go."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        if not is_dns_label(self.name):
            yield Problem(
                "metadata.name", "must be at most 63 lower-case letters, digits and '-': pods are labelled by it"
            )
        for name, value in self.spec.additionalRequestParams.items():
            reason = wrong(value, _PARAMETERS[name]) if name in _PARAMETERS else ""
            if reason:
                path = f"spec.additionalRequestParams.{name}"
                yield Problem(path, f"{reason}, got {describe(value)}", code="bad-value")
        for field, values in (
            ("trafficScenarios", self.spec.trafficScenarios),
            ("numConcurrency", self.spec.numConcurrency),
        ):
            yield from _repeated(values, f"spec.{field}")
        if self.spec.dataset is not None:
            yield Problem("spec.dataset", "has no effect: genai-bench takes its own data", "warning", "no-effect")


def _repeated(values: Sequence[Any], path: str) -> Iterator[Problem]:
    for index, value in enumerate(values):
        if value in values[:index]:
            yield Problem(f"{path}[{index}]", f"{value} is there twice: remove one", code="duplicate")


def job_problems(spec: BenchmarkJobSpec) -> Iterator[Problem]:
    """What a job needs, after its documented keys have filled in what they can."""
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
    given = [name for name in ("inferenceService", "endpoint") if endpoint and getattr(endpoint, name) is not None]
    if len(given) != 1:
        message = "must have exactly one of inferenceService and endpoint"
        yield Problem("spec.endpoint", message, code="required" if not given else "bad-value")


def _scenario_problems(scenarios: Sequence[str], task: str) -> Iterator[Problem]:
    pattern, example = _SCENARIOS[task]
    path = "spec.trafficScenarios"
    if not scenarios and task == "text-to-embeddings":
        yield Problem(path, f"is required: the built-in scenarios don't fit {task}, write {example}", code="required")
    for scenario in scenarios:
        if re.fullmatch(pattern, scenario):
            continue
        message = f"{describe(scenario)} is no scenario of {task}: write for example {example}"
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
        yield Problem(path, f"{scheme}:// takes no results: use pvc, oci, s3, az, gs or github", code="bad-value")
    for name in sorted(_SECRETS & output.parameters.keys()):
        message = (
            "is a secret that everyone with read access to the job would see: use a Secret and podOverride.envFrom"
        )
        yield Problem(f"spec.outputLocation.parameters.{name}", message, code="literal-secret")
