"""ServingRuntime and ClusterServingRuntime of ome.io: how models of a kind are served. They make no object here."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Problem
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.pod import PodSpec
from ...kubernetes.scalars import Boolean, FreeForm, Int32, Strings, Text
from .fields import Versioned
from .inference_service.spec import EngineSpec, RouterSpec
from .metadata import metadata_problems


class SupportedModelFormat(Spec):
    name: Text | None = None
    """Name of the format, the old way."""
    modelFormat: Versioned | None = None
    """Format of the weights."""
    modelFramework: Versioned | None = None
    """Library that the weights are for."""
    modelArchitecture: Text | None = None
    """Class of the models."""
    modelType: Text | None = None
    """Architecture family, the old way."""
    quantization: Text | None = None
    """Quantisation of the models."""
    version: Text | None = None
    """Version of the format, the old way."""
    autoSelect: Boolean | None = None
    """Whether the runtime may be chosen for such a model."""
    priority: Int32 | None = None
    """The highest wins."""
    operator: Text | None = None
    """How versions are compared."""
    acceleratorConfig: FreeForm = None
    """Settings by accelerator; has no effect here."""


class SizeRange(Spec):
    min: Text | None = None
    """Fewest parameters, for example 1B."""
    max: Text | None = None
    """Most parameters."""


class ServingRuntimeSpec(PodSpec):
    supportedModelFormats: list[SupportedModelFormat] = []
    """Models that the runtime serves."""
    modelSizeRange: SizeRange | None = None
    """Their sizes."""
    disabled: Boolean | None = None
    """Whether the runtime may not be used."""
    engineConfig: EngineSpec | None = None
    """Engine as the runtime sets it up."""
    decoderConfig: EngineSpec | None = None
    """Decoder as the runtime sets it up."""
    routerConfig: RouterSpec | None = None
    """Router as the runtime sets it up."""
    protocolVersions: list[Text] = []
    """Protocols of the runtime's API."""
    acceleratorRequirements: FreeForm = None
    """Accelerators that the runtime needs; has no effect here."""
    workers: FreeForm = None
    """Workers, the old way; has no effect here."""
    labels: Strings = {}
    """Labels, the old way; those of engineConfig count."""
    annotations: Strings = {}
    """Annotations, the old way; those of engineConfig count."""


class ServingRuntime(Manifest):
    """A runtime of one namespace."""

    spec: ServingRuntimeSpec
    """How models are served."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)


class ClusterServingRuntime(ServingRuntime):
    """A runtime for all namespaces."""
