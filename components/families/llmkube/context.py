"""An InferenceService with its Model and the platform's settings: the answers that several objects need, worked out
once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...engines.engine import Engine
from ...engines.flag import Launch
from ...kubernetes.gpu import RENDER_DEVICE, RESOURCES
from ...kubernetes.model import dump
from .kinds import InferenceService, Model
from .model_spec import GPU
from .runtimes import RUNTIMES
from .settings import LLMKubeSettings
from .sources import Source, parse
from .spec import InferenceServiceSpec
from .storage import Storage, storage


@dataclass(frozen=True)
class Context:
    """One service, ready to be rendered. ``draft`` is its speculative model as vLLM gets it."""

    name: str
    namespace: str
    spec: InferenceServiceSpec
    model: Model
    settings: LLMKubeSettings
    storage: Storage
    draft: str = ""

    @property
    def engine(self) -> Engine:
        return RUNTIMES[self.spec.runtime]

    @property
    def gpu(self) -> GPU:
        """The model's wishes for GPUs, or the defaults."""
        return self.model.spec.hardware.gpu or GPU()

    @property
    def gpus(self) -> int:
        """GPUs of each pod: what the Model says, else the service."""
        return self.gpu.count or self.spec.resources.gpu

    @property
    def device(self) -> str:
        """The extended resource that GPUs are asked for by."""
        gpu = self.gpu
        if gpu.resourceName:
            return gpu.resourceName
        return RENDER_DEVICE if gpu.vendor == "amd" and gpu.runtime else RESOURCES[gpu.vendor]

    @property
    def port(self) -> int:
        """Port on which the server listens."""
        return self.spec.containerPort or self.spec.endpoint.port or self.engine.port

    @property
    def service_port(self) -> int:
        """Port of the Service."""
        return self.spec.endpoint.port or self.port

    @cached_property
    def source(self) -> Source:
        return parse(self.model.spec.source)

    @property
    def served_outside(self) -> bool:
        """Whether LLMKube's agent on a Mac serves it, and nothing runs in the cluster."""
        return self.model.spec.hardware.accelerator == "metal"

    @cached_property
    def launch(self) -> Launch:
        """What the engine is told."""
        return Launch(
            values=self._values(),
            port=self.port,
            gpus=self.gpus,
            path=self.storage.path,
            source=self.source.model_id,
            projector=self.storage.projector,
            gpu=dump(self.gpu),
        )

    def _values(self) -> Mapping[str, Any]:
        values = dump(self.spec)
        speculative = self.spec.vllmConfig.speculative if self.spec.vllmConfig else None
        if speculative and speculative.enabled and speculative.model:
            values["draft"] = {
                "model": self.draft or speculative.model,
                "tokens": speculative.numSpeculativeTokens,
            }
        return values


def context_of(service: InferenceService, model: Model, settings: LLMKubeSettings, draft: str = "") -> Context:
    return Context(
        name=service.name,
        namespace=service.namespace,
        spec=service.spec,
        model=model,
        settings=settings,
        storage=storage(service, model, settings),
        draft=draft,
    )
