"""InferenceService of ome.io: a model served by an engine, with an optional decoder and router."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from ....findings import Problem
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.model import Manifest, Spec, defaults
from ....kubernetes.scalars import FreeForm, Name, Text
from ..metadata import metadata_problems
from .component_spec import LATER, EngineSpec, KedaConfig, RouterSpec, accelerator_problems, component_problems
from .predictor import PredictorSpec, engine_of

_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


class ModelRef(Spec):
    HINTS = {"overlays": LATER}

    name: Name
    """Name of the model."""
    kind: Literal["ClusterBaseModel", "BaseModel", "FineTunedWeight"] | None = None
    """ClusterBaseModel by default."""
    apiGroup: Text | None = None
    """ome.io."""
    fineTunedWeights: list[Text] = []
    """Fine-tuned weights on top of the model."""


class RuntimeRef(Spec):
    name: Name
    """Name of the runtime."""
    kind: Literal["ClusterServingRuntime", "ServingRuntime"] | None = None
    """ClusterServingRuntime by default."""
    apiGroup: Text | None = None
    """ome.io."""


class InferenceServiceSpec(Spec):
    HINTS = {
        **dict.fromkeys(["placement", "routing", "scalingPolicy", "traffic"], LATER),
        "deploymentMode": f"{LATER}; the annotation ome.io/deploymentMode replaces it",
        "rollout": f"{LATER}; deploymentStrategy of a component says how its pods are replaced",
    }

    predictor: PredictorSpec | None = None
    """Deprecated by OME: model, runtime and engine in one, and read as these."""
    engine: EngineSpec | None = None
    """The model server; with a decoder it does the prefill."""
    decoder: EngineSpec | None = None
    """The decode side of a disaggregated service."""
    router: RouterSpec | None = None
    """Routes requests to engine and decoder."""
    model: ModelRef | None = None
    """The model."""
    runtime: RuntimeRef | None = None
    """The runtime; without one a fitting runtime is chosen."""
    kedaConfig: KedaConfig | None = None
    """KEDA settings."""
    acceleratorSelector: FreeForm = None
    """Accelerator of the service; has no effect here."""


class InferenceService(Manifest):
    spec: InferenceServiceSpec = defaults(InferenceServiceSpec)
    """What is served, and how."""

    def migrated(self) -> InferenceService:
        """The service with model, runtime and engine in place of a predictor."""
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
            message = (
                "must start with a letter and have only lower-case letters, digits and '-', because Services are "
                "named after it"
            )
            yield Problem("metadata.name", message)
        if self.spec.decoder and not self.spec.engine:
            yield Problem("spec.decoder", "needs an engine for the prefill; add spec.engine")
        yield from accelerator_problems(self.spec.acceleratorSelector, "spec.acceleratorSelector")
        for role in ("predictor", "engine", "decoder", "router"):
            component = getattr(self.spec, role)
            if component is not None:
                yield from component_problems(component, f"spec.{role}")
