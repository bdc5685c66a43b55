"""InferenceService of ome.io: a model served by an engine, with an optional decoder and router.

The field ``predictor``, which OME replaced by model, runtime and engine, is read as these.

Decisions: M15 (docs/decisions).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from ....findings import Problem
from ....kubernetes.metadata import MAX_LABEL, is_subdomain
from ....kubernetes.model import MAX_NAME, Manifest, Spec, defaults, dump
from ....kubernetes.pod import Container
from ....kubernetes.scalars import FreeForm, Name, PassedText, Text
from ....kubernetes.strategic_merge import merge
from ..metadata import metadata_problems
from .component_spec import (
    LATER,
    MAIN,
    ComponentSpec,
    EngineSpec,
    KedaConfig,
    RouterSpec,
    WorkerSpec,
    accelerator_problems,
    component_problems,
)

_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


class ModelRef(Spec):
    HINTS = {"overlays": LATER}

    name: Name
    """Name of the model."""
    kind: Literal["ClusterBaseModel", "BaseModel", "FineTunedWeight"] | None = None
    """ClusterBaseModel by default."""
    apiGroup: Text | None = None
    """API group: ome.io."""
    fineTunedWeights: list[Text] = []
    """Fine-tuned weights on top of the model."""


class RuntimeRef(Spec):
    name: Name
    """Name of the runtime."""
    kind: Literal["ClusterServingRuntime", "ServingRuntime"] | None = None
    """ClusterServingRuntime by default."""
    apiGroup: Text | None = None
    """API group: ome.io."""


class PredictorModel(Container):
    """The model, with the fields of the container that serves it."""

    name: Text | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """Name of the container."""
    baseModel: Text | None = None
    """Name of the model."""
    fineTunedWeights: list[Text] = []
    """Fine-tuned weights on top of the model."""
    runtime: Text | None = None
    """Name of the runtime; without one a fitting runtime is chosen."""
    storageUri: PassedText | None = None
    """Handed to the server as the variable STORAGE_URI."""
    protocolVersion: Text | None = None
    """Handed to the server as the variable PROTOCOL_VERSION."""
    runtimeVersion: Text | None = None
    """Version of the runtime's image; has no effect, as in OME."""


class PredictorSpec(ComponentSpec):
    model: PredictorModel | None = None
    """The model and its runtime."""
    workerSpec: WorkerSpec | None = None
    """Workers, when the model spans several nodes."""


class InferenceServiceSpec(Spec):
    HINTS = {
        **dict.fromkeys(["placement", "routing", "scalingPolicy", "traffic"], LATER),
        "deploymentMode": f"{LATER}; the annotation ome.io/deploymentMode replaces it",
        "rollout": f"{LATER}; deploymentStrategy of a component says how its pods are replaced",
    }

    predictor: PredictorSpec | None = None
    """Model, runtime and engine in one field, and read as these. Deprecated by OME."""
    engine: EngineSpec | None = None
    """Model server; if there is a decoder, it does the prefill."""
    decoder: EngineSpec | None = None
    """The decode side of a disaggregated service."""
    router: RouterSpec | None = None
    """Routes requests to engine and decoder."""
    model: ModelRef | None = None
    """Reference to the model."""
    runtime: RuntimeRef | None = None
    """Reference to the runtime; by default a fitting runtime is chosen."""
    kedaConfig: KedaConfig | None = None
    """KEDA settings; those of a component take precedence."""
    acceleratorSelector: FreeForm = None
    """Accelerator of the service; only its acceleratorClass has an effect."""


class InferenceService(Manifest):
    spec: InferenceServiceSpec = defaults(InferenceServiceSpec)
    """What is served, and how."""

    def migrated(self) -> InferenceService:
        predictor = self.spec.predictor
        if predictor is None or self.spec.engine is not None or self.spec.model is not None:
            return self
        model, updates = predictor.model, dict[str, Any](predictor=None, engine=engine_of(predictor))
        if model and model.baseModel:
            updates["model"] = ModelRef(name=model.baseModel, fineTunedWeights=model.fineTunedWeights)
        if model and model.runtime:
            updates["runtime"] = RuntimeRef(name=model.runtime)
        return self.model_copy(update={"spec": self.spec.model_copy(update=updates)})

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        if self.spec.predictor is not None:
            idle = self.spec.engine is not None or self.spec.model is not None
            message = "has no effect beside engine and model" if idle else "is deprecated by OME"
            advice = "write model (for model.baseModel), runtime and engine"
            yield Problem("spec.predictor", f"{message}: {advice}", "warning", "deprecated")
        if not _NAME.fullmatch(self.name) and is_subdomain(self.name):
            allowed = "must start with a letter and have only lower-case letters, digits and '-'"
            yield Problem("metadata.name", f"{allowed}, because Services are named after it")
        elif MAX_LABEL < len(self.name) <= MAX_NAME:
            message = f"must have at most {MAX_LABEL} characters, because all objects have it as a label"
            yield Problem("metadata.name", f"{message}, got {len(self.name)}")
        if self.spec.decoder and not self.spec.engine:
            yield Problem("spec.decoder", "needs an engine for the prefill; add spec.engine")
        yield from accelerator_problems(self.spec.acceleratorSelector, "spec.acceleratorSelector")
        for role in ("predictor", "engine", "decoder", "router"):
            component = getattr(self.spec, role)
            if component is not None:
                yield from component_problems(component, f"spec.{role}")


def engine_of(predictor: PredictorSpec) -> EngineSpec:
    """Convert a predictor to an engine, as OME's controller does."""
    fields = {field: value for field, value in dump(predictor).items() if field not in ("model", "workerSpec")}
    containers: list[dict[str, Any]] = fields.pop("containers", [])
    main = next((item for item in containers if "ome" in item["name"].lower()), containers[0] if containers else {})
    runner = merge(_container(predictor.model), main)
    if predictor.workerSpec is not None:
        fields |= {"worker": dump(predictor.workerSpec), "leader": {}}
    others = [item for item in containers if item is not main]
    engine = {**fields, **({"containers": others} if others else {})}
    return EngineSpec.model_validate({**engine, **({"runner": {"name": MAIN, **runner}} if runner else {})})


def _container(model: PredictorModel | None) -> dict[str, Any]:
    if model is None:
        return {}
    fields = {field: value for field, value in dump(model).items() if field in Container.model_fields}
    handed = {"STORAGE_URI": model.storageUri, "PROTOCOL_VERSION": model.protocolVersion}
    variables = [{"name": name, "value": value} for name, value in handed.items() if value is not None]
    return {**fields, **({"env": [*fields.get("env", []), *variables]} if variables else {})}
