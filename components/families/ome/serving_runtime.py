"""ServingRuntime and ClusterServingRuntime of ome.io: how to serve models. They render no objects.

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
"""Annotation with the runtime from which this one inherits the fields that it leaves out (OME 1.3)."""


class Sizes(Spec):
    tensorParallelSize: Count | None = None
    """Replaces the size in the command line."""
    pipelineParallelSize: Count | None = None
    """Replaces the size in the command line."""
    dataParallelSize: FreeForm = None
    """Not used, as in OME."""


class AcceleratorConfig(Spec):
    """Settings for one accelerator."""

    environmentOverride: Strings = {}
    """Environment variables of the main container."""
    runtimeArgsOverride: list[PassedText] = []
    """Flags that replace those of the same name or are added."""
    tensorParallelismOverride: Sizes | None = None
    """Number of devices over which a model is split."""
    minMemoryPerBillionParams: FreeForm = None
    """Used by OME to choose an accelerator; has no effect here."""


class SupportedModelFormat(Spec):
    name: Text | None = None
    """Name of the format (old form)."""
    modelFormat: Versioned | None = None
    """Format of the weights."""
    modelFramework: Versioned | None = None
    """Library that loads the weights."""
    modelArchitecture: Text | None = None
    """Architecture class of the models."""
    modelType: Text | None = None
    """Architecture family (old form)."""
    quantization: Text | None = None
    """Quantisation of the models."""
    diffusionPipeline: FreeForm = None
    """Components of the diffusion pipelines that are served."""
    version: Text | None = None
    """Version of the format (old form)."""
    autoSelect: Boolean | None = None
    """Whether the runtime may be chosen for a model without being named."""
    priority: Int32 | None = None
    """Priority in the selection of a runtime, 1 by default; the highest wins."""
    operator: Text | None = None
    """How versions are compared."""
    acceleratorConfig: dict[Text, AcceleratorConfig] = {}
    """Settings by accelerator, for the one that a service names."""


class SizeRange(Spec):
    min: Text | None = None
    """Minimum number of parameters, for example 1B."""
    max: Text | None = None
    """Maximum number of parameters."""


class ServingRuntimeSpec(PodSpec):
    supportedModelFormats: list[SupportedModelFormat] = []
    """Models that the runtime serves."""
    modelSizeRange: SizeRange | None = None
    """Range of model sizes that the runtime serves."""
    disabled: Boolean | None = None
    """If true, services can't use the runtime."""
    engineConfig: EngineSpec | None = None
    """Engine configuration."""
    decoderConfig: EngineSpec | None = None
    """Decoder configuration."""
    routerConfig: RouterSpec | None = None
    """Router configuration."""
    protocolVersions: list[Text] = []
    """Protocols of the runtime's API."""
    acceleratorRequirements: FreeForm = None
    """Supported accelerators: ``acceleratorClasses`` must list those that a service requests."""
    workers: FreeForm = None
    """Workers (old form); has no effect here."""
    labels: Strings = {}
    """Labels (old form); those of engineConfig take precedence."""
    annotations: Strings = {}
    """Annotations (old form); those of engineConfig take precedence."""


class ServingRuntime(Manifest):
    """A runtime that one namespace can use."""

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
    """A runtime that all namespaces can use."""
