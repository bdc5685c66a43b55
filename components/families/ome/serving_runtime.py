"""ServingRuntime and ClusterServingRuntime of ome.io: how models of a kind are served. They make no object here.

Mirrors sgl-project/ome pkg/webhook/admission/servingruntime/servingruntime_webhook.go at v0.1.5.
"""

from collections.abc import Iterator

from ...findings import Problem
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.pod import PodSpec
from ...kubernetes.scalars import Boolean, FreeForm, Int32, PassedText, Strings, Text
from .fields import Count, Versioned
from .inference_service.component_spec import EngineSpec, RouterSpec, component_problems
from .metadata import metadata_problems

INHERIT_FROM = "ome.io/inherit-from"
"""Annotation of a runtime that takes every field that it leaves out from another one (OME 1.3)."""


class Sizes(Spec):
    tensorParallelSize: Count | None = None
    """In place of the size in the command line."""
    pipelineParallelSize: Count | None = None
    """In place of the size in the command line."""
    dataParallelSize: FreeForm = None
    """Not used by OME either."""


class AcceleratorConfig(Spec):
    """What changes on one accelerator."""

    environmentOverride: Strings = {}
    """Variables of the main container."""
    runtimeArgsOverride: list[PassedText] = []
    """Flags that replace those of the same name, and follow the others."""
    tensorParallelismOverride: Sizes | None = None
    """Over how many devices a model is split."""
    minMemoryPerBillionParams: FreeForm = None
    """For OME's choice of an accelerator."""


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
    diffusionPipeline: FreeForm = None
    """Parts of the diffusion pipelines that are served."""
    version: Text | None = None
    """Version of the format, the old way."""
    autoSelect: Boolean | None = None
    """Whether the runtime may be chosen for such a model."""
    priority: Int32 | None = None
    """The highest wins."""
    operator: Text | None = None
    """How versions are compared."""
    acceleratorConfig: dict[Text, AcceleratorConfig] = {}
    """What changes on the accelerator that a service names."""


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
    """Accelerators that the runtime runs on: ``acceleratorClasses`` decides whether it is chosen."""
    workers: FreeForm = None
    """Workers, the old way; has no effect here."""
    labels: Strings = {}
    """Labels, the old way; those of engineConfig take precedence."""
    annotations: Strings = {}
    """Annotations, the old way; those of engineConfig take precedence."""


class ServingRuntime(Manifest):
    """A runtime of one namespace."""

    spec: ServingRuntimeSpec
    """How models are served."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        for index, offer in enumerate(self.spec.supportedModelFormats):
            yield from _format_problems(offer, f"spec.supportedModelFormats[{index}]")
        for field in ("engineConfig", "decoderConfig", "routerConfig"):
            config = getattr(self.spec, field)
            if config is not None:
                inherits = INHERIT_FROM in self.metadata.annotations
                yield from component_problems(config, f"spec.{field}", inherits=inherits)
            if isinstance(config, EngineSpec) and config.acceleratorOverride is not None:
                message = "has no effect in a runtime; write acceleratorRequirements, or the override in the services"
                yield Problem(f"spec.{field}.acceleratorOverride", message, "warning", "no-effect")
        yield from _idle_problems(self.spec)


def _format_problems(offer: SupportedModelFormat, path: str) -> Iterator[Problem]:
    for field in ("modelFormat", "modelFramework"):
        if getattr(offer, field) is None:
            message = "is required by OME's CRD, and OME chooses this runtime for no model without it; add it"
            yield Problem(f"{path}.{field}", message, "warning", "required")


def _idle_problems(spec: ServingRuntimeSpec) -> Iterator[Problem]:
    """Fields from which nothing comes."""
    if spec.workers is not None:
        yield Problem("spec.workers", "has no effect; write engineConfig.worker", "warning", "no-effect")
    stated = spec.model_fields_set - frozenset(["supportedModelFormats", "modelSizeRange", "disabled", *_TOP_LEVEL])
    if spec.engineConfig is not None:
        for field in sorted(stated - {"nodeSelector", "workers"}):
            part = "only its resources have an effect" if field == "containers" else "has no effect"
            message = f"{part} beside engineConfig; write it there"
            yield Problem(f"spec.{field}", message, "warning", "no-effect")


_TOP_LEVEL = ("engineConfig", "decoderConfig", "routerConfig", "protocolVersions", "acceleratorRequirements")


class ClusterServingRuntime(ServingRuntime):
    """A runtime for all namespaces."""
