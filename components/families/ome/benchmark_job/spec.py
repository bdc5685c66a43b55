"""BenchmarkJob of ome.io: sends requests to one model service and records the results."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from ....findings import Problem
from ....kubernetes.core import EnvFromSource, EnvVar, ResourceRequirements, Toleration, Volume, VolumeMount
from ....kubernetes.metadata import is_dns_label
from ....kubernetes.model import Manifest, Spec, defaults
from ....kubernetes.scalars import ArgumentType, FreeForm, Int32, Name, Opaque, PassedText, Strings, Text, describe
from ....kubernetes.values import repeated
from ....ome_keys.values import wrong
from ..fields import StorageSpec
from ..metadata import metadata_problems

Task = Literal["text-to-text", "image-to-text", "image-text-to-text", "text-to-embeddings", "image-to-embeddings"]
"""OME's tasks. ``image-text-to-text`` is genai-bench's name for ``image-to-text``."""
_PARAMETERS = {"temperature": {"type": "number"}, "ignore_eos": {"type": "bool"}}
_HTTP = "^https?://[^/?#]"
Positive = Annotated[Int32, Field(ge=1)]


def _url(value: Any) -> Any:
    if isinstance(value, Opaque):
        return value
    if isinstance(value, str) and re.match(_HTTP, value):
        return str(value)
    raise ValueError(f"must start with http:// or https:// and a host, got {describe(value)}")


class Target(Spec):
    name: Name
    """Name of the service."""
    namespace: Name
    """Namespace of the service."""


class DirectEndpoint(Spec):
    url: Annotated[
        Any, PlainValidator(_url), WithJsonSchema({"type": "string", "pattern": _HTTP}), ArgumentType("text")
    ]
    """Address of the API; in a program it may be another component's output."""
    apiFormat: Literal["openai", "oci-cohere", "cohere"]
    """API format of the endpoint."""
    modelName: Text | None = None
    """Model name in requests."""


class Endpoint(Spec):
    inferenceService: Target | None = None
    """A model service of the stack, of any family."""
    endpoint: DirectEndpoint | None = None
    """An API endpoint, given by its address."""


class ServiceMetadata(Spec):
    """Facts about the service, recorded with the results."""

    engine: Literal["vLLM", "SGLang", "TGI", "cohere-TensorRT", "cohere-vLLM", "LlamaCPP"]
    """Engine of the service."""
    version: Text
    """Version of the engine."""
    gpuType: Literal["H100", "A100", "MI300", "A10", "A100-80G", "A100-40G", "H200", "B200", "RTX-PRO-6000"]
    """GPU of the service; A100 is recorded as A100-80G."""
    gpuCount: Int32
    """Number of GPUs."""


class SecretName(Spec):
    name: PassedText
    """Name of the Secret; its key is HUGGINGFACE_API_KEY."""


class PodOverride(Spec):
    image: PassedText | None = None
    """Image to use instead of the platform's."""
    env: list[EnvVar] = []
    """Additional environment variables."""
    envFrom: list[EnvFromSource] = []
    """Environment variables from ConfigMaps and Secrets."""
    volumeMounts: list[VolumeMount] = []
    """Additional volume mounts."""
    resources: ResourceRequirements | None = None
    """Resources, merged over the platform's."""
    tolerations: list[Toleration] | None = None
    """Tolerations instead of the one for GPU nodes."""
    nodeSelector: Strings | None = None
    """Node labels that the pod requires."""
    affinity: FreeForm = None
    """Affinity rules of the pod."""
    volumes: list[Volume] = []
    """Additional volumes."""


class BenchmarkJobSpec(Spec):
    huggingFaceSecretReference: SecretName | None = None
    """Secret with the Hugging Face token."""
    endpoint: Endpoint | None = None
    """The service or API to measure."""
    serviceMetadata: ServiceMetadata | None = None
    """Facts about the service, recorded with the results."""
    task: Task | None = None
    """Kind of requests."""
    trafficScenarios: list[Text] = []
    """Traffic scenarios, for example D(100,100)."""
    numConcurrency: list[Positive] = []
    """Numbers of concurrent requests to test."""
    maxTimePerIteration: Positive | None = None
    """Maximum number of minutes for each scenario and concurrency."""
    maxRequestsPerIteration: Positive | None = None
    """Maximum number of requests for each scenario and concurrency."""
    additionalRequestParams: dict[Text, Text] = {}
    """Additional request parameters."""
    dataset: StorageSpec | None = None
    """Data for tasks other than text; has no effect here."""
    outputLocation: StorageSpec | None = None
    """Where results are stored."""
    resultFolderName: Text | None = None
    """Name of the results folder."""
    podOverride: PodOverride | None = None
    """Overrides of the pod."""


class BenchmarkJob(Manifest):
    spec: BenchmarkJobSpec = defaults(BenchmarkJobSpec)
    """What is measured, how, and where the results go."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        if not is_dns_label(self.name):
            message = "must be at most 63 lower-case letters, digits and '-', because it labels the pods"
            yield Problem("metadata.name", message)
        for name, value in self.spec.additionalRequestParams.items():
            reason = wrong(value, _PARAMETERS[name]) if name in _PARAMETERS else ""
            if reason:
                path = f"spec.additionalRequestParams.{name}"
                yield Problem(path, f"{reason}, got {describe(value)}", code="bad-value")
        for field in ("trafficScenarios", "numConcurrency"):
            for index, value, _ in repeated(getattr(self.spec, field)):
                message = f"{value} is listed twice; remove one"
                yield Problem(f"spec.{field}[{index}]", message, code="duplicate")
        if self.spec.dataset is not None:
            message = "has no effect, because genai-bench uses built-in data"
            yield Problem("spec.dataset", message, "warning", "no-effect")
