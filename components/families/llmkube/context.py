"""An InferenceService with its Model and the platform's settings: values that several objects need, computed
once.

Decisions: L2 (docs/decisions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...engines.command_reader import expanded, literals
from ...engines.engine import Engine
from ...engines.flag import Launch
from ...engines.generic import GENERIC
from ...engines.preconditions import maker_of
from ...engines.server import Server, server_of
from ...kubernetes.args import Argument, CommandLine, merge
from ...kubernetes.gpu import MIG_PREFIX, RENDER_DEVICE, RESOURCES
from ...kubernetes.labels import QUEUE
from ...kubernetes.model import defaults, dump, dumps
from .kinds import InferenceService, Model
from .model_spec import GPU
from .runtimes import RUNTIMES
from .settings import LLMKubeSettings
from .sources import Source, parse
from .spec import Autoscaling, GPUSharing, InferenceServiceSpec, Mode, SpeculativeDecoding
from .storage import Storage, storage


@dataclass(frozen=True)
class Context:
    """One service, ready to be rendered.

    ``draft`` is its speculative model as vLLM gets it, empty if it can't load that, ``drafter`` the same service with
    the draft Model that its pods also have. ``prefix`` starts the names of a drafter's containers. ``labels`` are the
    manifest's.
    """

    name: str
    namespace: str
    spec: InferenceServiceSpec
    model: Model
    settings: LLMKubeSettings
    storage: Storage
    draft: str = ""
    drafter: Context | None = None
    prefix: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        return RUNTIMES[self.spec.runtime]

    @cached_property
    def gpu(self) -> GPU:
        """The Model's GPU settings, or the defaults."""
        return self.model.spec.hardware.gpu or defaults(GPU)

    @property
    def gpus(self) -> int:
        """GPUs of each pod: the Model's number, otherwise the service's."""
        return self.gpu.count or self.spec.resources.gpu

    @property
    def models(self) -> tuple[Context, ...]:
        """The service with each Model that its pods need."""
        return (self, self.drafter) if self.drafter else (self,)

    @property
    def has_gpus(self) -> bool:
        """Whether the pods have GPUs, by their number or by resource claims."""
        return self.gpus > 0 or bool(self.gpu.resourceClaims)

    @cached_property
    def gpu_sharing(self) -> GPUSharing:
        return self.spec.resources.gpuSharing or defaults(GPUSharing)

    @property
    def device(self) -> str:
        """Extended resource with which the pods request GPUs."""
        gpu = self.gpu
        if self.gpu_sharing.mode == "partitioned":
            return f"{MIG_PREFIX}{self.gpu_sharing.profile}"
        if gpu.resourceName:
            return gpu.resourceName
        return RENDER_DEVICE if gpu.vendor == "amd" and gpu.runtime else RESOURCES[gpu.vendor]

    @property
    def vendor(self) -> str:
        """Maker of the pods' GPUs: of the resource that they request, if it tells, otherwise the Model's vendor."""
        maker = maker_of(self.gpu.resourceName or "")
        return maker if maker in RESOURCES else self.gpu.vendor

    @property
    def queued(self) -> bool:
        """Whether Kueue starts the service. Kueue holds its pods back itself and would lift ``suspend``."""
        return bool(self.labels.get(QUEUE))

    @property
    def suspended(self) -> bool:
        return self.spec.suspend and not self.queued

    @property
    def replicas(self) -> int:
        return 0 if self.suspended else self.spec.replicas

    @property
    def autoscaling(self) -> Autoscaling | None:
        """None while the service is suspended, because an autoscaler would start pods again."""
        return None if self.suspended else self.spec.autoscaling

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
        """Whether LLMKube's agent on a Mac serves it, so that nothing runs in the cluster."""
        return self.model.spec.hardware.accelerator == "metal"

    @property
    def foreign_user(self) -> bool:
        """Whether the manifest or the cluster, not the image, chooses the server's user."""
        pod, container = self.spec.podSecurityContext, self.spec.securityContext
        users = [context.runAsUser for context in (container, pod) if context and context.runAsUser is not None]
        asked = any(context.runAsNonRoot for context in (container, pod) if context)
        return bool(users[0]) if users else asked

    @cached_property
    def launch(self) -> Launch:
        """Facts about the pod that the engine needs."""
        return Launch(
            values=self._values(),
            port=self.port,
            gpus=self.gpus,
            path=self.storage.path,
            source=self.source.model_id,
            projector=self.storage.projector,
            revision=self.source.revision,
            foreign_user=self.foreign_user,
            gpu={**dump(self.gpu), "vendor": self.vendor},
        )

    @cached_property
    def arguments(self) -> Sequence[Argument]:
        """The generated arguments, before the user's arguments replace any of them."""
        return self.engine.arguments(self.launch)

    @cached_property
    def command_line(self) -> CommandLine:
        """The generated arguments merged with the user's extra ones."""
        extra = self.spec.extraArgs if self.engine.reads("extraArgs") else []
        return merge(self.arguments, extra, self.engine.dialect, trailing=self.engine.trailing)

    @property
    def mode(self) -> Mode:
        """Purpose of the service: the spec's mode, otherwise derived from its arguments and the endpoint's path."""
        return self.spec.mode or told_mode([*self.spec.args, *self.spec.extraArgs], self.spec.endpoint.path)

    @property
    def arguments_field(self) -> str:
        """Field with the user's arguments."""
        return "spec.extraArgs" if self.engine.reads("extraArgs") else "spec.args"

    @cached_property
    def extra_flags(self) -> Mapping[str, Any]:
        """Flags of the user's extra arguments, with their values."""
        return self.engine.dialect.flags(self.spec.extraArgs)

    @cached_property
    def server(self) -> Server:
        """The server that the pods start; for runtime generic, identified by image, command and arguments."""
        env = dumps(self.spec.env)
        if self.engine is not GENERIC:
            values = literals(env)
            words = [expanded(word, values) for word in self.command_line.words]
            return Server(self.engine, words, self.engine.dialect.flags(words), values, starts=True)
        words = {"command": self.spec.command, "args": self.spec.args, "env": env}
        return server_of({"image": self.spec.image, **words}) or Server(GENERIC, self.spec.args, {}, {}, starts=False)

    def _values(self) -> Mapping[str, Any]:
        values = {**dump(self.spec), "servingMode": self.mode}
        if self.spec.speculativeDecoding:
            values["speculativeDecoding"] = self._decoding(self.spec.speculativeDecoding)
        _, named = named_draft(self.spec)
        if named and isinstance(named, str):
            draft = parse(self.draft or named)
            speculative = self.spec.vllmConfig and self.spec.vllmConfig.speculative
            tokens = {"tokens": speculative.numSpeculativeTokens} if speculative else {}
            values["draft"] = {"model": draft.model_id, "revision": draft.revision, **tokens}
        return values

    def _decoding(self, speculative: SpeculativeDecoding) -> Mapping[str, Any]:
        """Values for llama.cpp's speculative decoding, with the path of a staged draft model in place of its name."""
        if speculative.method == "none":
            return {}
        values = {**dump(speculative), "type": speculative.method}
        path = self.drafter.storage.path if self.drafter else self.storage.beside(speculative.draftModel or "")
        return values | {field: path or None for field in ("draftModel", "draftModelRef") if field in values}


def named_draft(spec: InferenceServiceSpec) -> tuple[str, Any]:
    """The field with the draft model of vLLM or SGLang, and its value; empty if speculative decoding is off."""
    if spec.runtime == "sglang":
        speculative = spec.sglangConfig and spec.sglangConfig.speculative
        path, value = "spec.sglangConfig.speculative.draftModelPath", speculative and speculative.draftModelPath
    else:
        speculative = spec.vllmConfig and spec.vllmConfig.speculative
        path, value = "spec.vllmConfig.speculative.model", speculative and speculative.model
    return path, value if speculative and speculative.enabled and value else ""


def told_mode(words: Sequence[Any], path: str) -> Mode:
    """Rerank, embedding or chat, by the arguments and the endpoint's path."""
    if "--reranking" in words or "/rerank" in path:
        return "rerank"
    return "embedding" if not {"--embedding", "--embeddings"}.isdisjoint(words) or "/embeddings" in path else "chat"


def context_of(
    service: InferenceService,
    model: Model,
    settings: LLMKubeSettings,
    draft: str = "",
    drafter: Context | None = None,
) -> Context:
    return Context(
        name=service.name,
        namespace=service.namespace,
        spec=service.spec,
        model=model,
        settings=settings,
        storage=storage(service, model, settings),
        draft=draft,
        drafter=drafter,
        labels=service.metadata.labels,
    )
