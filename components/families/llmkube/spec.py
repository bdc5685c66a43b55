"""Fields of an InferenceService: ``spec`` of ``inference.llmkube.dev/v1alpha1``.

Mirrors defilantech/LLMKube api/v1alpha1/inferenceservice_types.go at v0.9.19.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ...kubernetes.core import (
    EnvVar,
    LocalObjectReference,
    PodSecurityContext,
    Probe,
    SecurityContext,
    Toleration,
    Volume,
    VolumeMount,
)
from ...kubernetes.model import defaults
from ...kubernetes.pod import TopologySpreadConstraint
from ...kubernetes.scalars import (
    Boolean,
    FreeForm,
    Int32,
    Integer,
    Name,
    Number,
    PassedText,
    Port,
    Quantity,
    QuantityOrNothing,
    Strings,
    Text,
)
from .model_spec import LLMKubeSpec
from .runtime_spec import PersonaPlexConfig, SGLangConfig, TGIConfig, VLLMConfig

CacheType = Literal["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"]
Priority = Literal["critical", "high", "normal", "low", "batch"]
Mode = Literal["chat", "embedding", "rerank"]
Runtime = Literal["llamacpp", "llamacpp-router", "personaplex", "vllm", "tgi", "sglang", "generic"]
SpeculativeType = Literal[
    "none",
    "disabled",
    "mtp",
    "draft",
    "draft-simple",
    "draft-eagle3",
    "draft-mtp",
    "draft-dflash",
    "draft-dspark",
    "ngram-simple",
    "ngram-map-k",
    "ngram-map-k4v",
    "ngram-mod",
    "ngram-cache",
]

NUMBER = r"^[0-9]+(\.[0-9]+)?$"


def _quant_bits(value: int) -> int:
    if value not in (3, 6, 8):
        raise ValueError(f"must be one of 3, 6, 8, got {value}")
    return value


QuantBits = Annotated[Int32, AfterValidator(_quant_bits)]


class GatewayReference(LLMKubeSpec):
    name: Name
    """Name of an existing Gateway."""
    namespace: Text = ""
    """Namespace of the Gateway; the service's by default."""


class EndpointGateway(LLMKubeSpec):
    enabled: Boolean = False
    """Whether the route is made."""
    gatewayRef: GatewayReference
    """The Gateway of Envoy AI Gateway that serves the route."""
    modelName: Text = ""
    """Model name of requests for this service; `modelRef` by default."""


class Endpoint(LLMKubeSpec):
    gateway: EndpointGateway | None = None
    """Reach the service through Envoy AI Gateway: makes a Backend, an AIServiceBackend and an AIGatewayRoute."""
    nodePort: Annotated[Int32, Field(ge=30000, le=32767)] | None = None
    """Port of every node, for type NodePort; the cluster chooses one by default."""
    path: Text = "/v1/chat/completions"
    """HTTP path that clients use; shown in the endpoint output, no effect on the Service."""
    port: Port | None = None
    """Port of the Service; the container port by default."""
    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = "ClusterIP"
    """Type of the Service."""


class Disruption(LLMKubeSpec):
    protectAlways: Boolean = False
    """Keep Karpenter from removing the pods' nodes (annotation `karpenter.sh/do-not-disrupt`)."""
    protectStartup: Boolean = True
    """The same until the service is ready, which only a running controller can end: no effect here."""


class ModelCache(LLMKubeSpec):
    claimName: Annotated[Name, Field(max_length=253)] | None = None
    """Existing claim for downloaded models, in place of the shared one or the service's."""
    persistence: Literal["Cached", "Ephemeral"] = "Cached"
    """`Ephemeral`: every pod downloads its own copy, into a volume that is deleted with the pod."""


class Metric(LLMKubeSpec):
    name: Name
    """Name of the metric: a pod metric such as `llamacpp:requests_processing`, or `cpu`, `memory`."""
    targetAverageUtilization: Annotated[Int32, Field(ge=1)] | None = None
    """Target in percent of the requested resource, for type Resource."""
    targetAverageValue: Quantity | None = None
    """Target average of each pod, for type Pods."""
    type: Literal["Pods", "Resource"]
    """Source of the metric."""


class Autoscaling(LLMKubeSpec):
    maxReplicas: Annotated[Int32, Field(ge=1, le=100)]
    """Maximum number of pods."""
    metrics: list[Metric] = []
    """Metrics to scale on; by default the runtime's load metric, 2 for each pod (less for one or two slots)."""
    minReplicas: Annotated[Int32, Field(ge=1, le=10)] = 1
    """Minimum number of pods."""


class ProbeOverrides(LLMKubeSpec):
    liveness: Probe | None = None
    """Replaces the liveness probe."""
    readiness: Probe | None = None
    """Replaces the readiness probe."""
    startup: Probe | None = None
    """Replaces the startup probe."""


class GPUSharing(LLMKubeSpec):
    memoryLimitGiB: Annotated[Int32, Field(ge=1)] | None = None
    """GPU memory that counts against LLMKube's GPUQuota, which needs its operator: no effect here."""
    mode: Literal["exclusive", "shared", "partitioned"] = "exclusive"
    """Whole GPUs, a share of a GPU in the shared pool, or a partition of a GPU."""
    profile: Text = ""
    """MIG profile of the partition, such as `1g.24gb`; for mode partitioned only."""


class Resources(LLMKubeSpec):
    cpu: QuantityOrNothing = None
    """CPU request."""
    ephemeralStorage: QuantityOrNothing = None
    """Request and limit of node-local disk, and the size limit of an `Ephemeral` model cache."""
    gpu: Annotated[Int32, Field(ge=0, le=8)] = 0
    """GPUs of each pod, unless the Model sets the number."""
    gpuSharing: GPUSharing | None = None
    """How a GPU is shared with other pods."""
    gpuMemory: Text = ""
    """GPU memory that the service needs; informational, no effect."""
    hostMemory: QuantityOrNothing = None
    """Memory request of a service that keeps experts or KV cache in system memory; takes precedence over `memory`."""
    memory: QuantityOrNothing = None
    """Memory request."""


class RolloutPolicy(LLMKubeSpec):
    force: Boolean = False
    """Update without waiting; updates never wait here."""
    idleTimeoutSeconds: Annotated[Int32, Field(ge=0)] = 300
    """How long an update waits for the server to be idle; no effect here."""
    waitForIdle: Boolean = False
    """Update only while no request is served, which only a running controller can see: no effect here."""


class RopeScaling(LLMKubeSpec):
    factor: Annotated[Text, Field(pattern=NUMBER)] | None = None
    """Factor that extends the native context (`--rope-scale`)."""
    originalContext: Annotated[Int32, Field(ge=128)] | None = None
    """Context length that the model was trained with (`--yarn-orig-ctx`)."""
    type: Literal["linear", "yarn", "longrope"]
    """Scaling method (`--rope-scaling`)."""


class SLO(LLMKubeSpec):
    indicator: Literal["availability", "latency"] = "availability"
    """What is measured: whether pods can be scraped, or the share of requests that are faster than a threshold."""
    latencyThreshold: Annotated[Text, Field(pattern=NUMBER)] | None = None
    """Seconds, a bucket of the runtime's latency histogram; required for `latency`."""
    name: Text = ""
    """Name of the ServiceLevelObjective; `<service>-<indicator>` by default."""
    objective: Annotated[Text, Field(pattern=NUMBER)]
    """Target in percent, 50 to 99.999."""
    window: Annotated[Text, Field(pattern=r"^[0-9]+[mhdw]$")] = "28d"
    """Time window of the target."""


_METHODS = {"mtp": "draft-mtp", "draft": "draft-simple", "disabled": "none"}
DRAFT_METHODS = frozenset(["draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark"])
"""Methods that need the weights of a draft model, which are optional for `draft-mtp`."""


class SpeculativeDecoding(LLMKubeSpec):
    draftModel: Annotated[Name, Field(max_length=253)] | None = None
    """The draft model as a file of the Model's `files` (`--spec-draft-model`)."""
    draftModelRef: Text = ""
    """The draft model as a Model of the namespace, downloaded beside the served one (`--spec-draft-model`)."""
    nDraftMax: Annotated[Int32, Field(ge=1)] | None = None
    """Maximum number of draft tokens in a step (`--spec-draft-n-max`)."""
    pMin: Annotated[Number, Field(ge=0, le=1)] | None = None
    """Minimum probability of a draft token for the draft to continue (`--spec-draft-p-min`)."""
    type: SpeculativeType
    """Method (`--spec-type`); `mtp` is `draft-mtp`, `draft` is `draft-simple`, `disabled` is `none`."""

    @property
    def method(self) -> str:
        """llama.cpp's name of the type."""
        return _METHODS.get(self.type, self.type)

    @property
    def takes_draft(self) -> bool:
        """Whether the method can use a draft model."""
        return self.method in DRAFT_METHODS | {"draft-mtp"}


class InferenceServiceSpec(LLMKubeSpec):
    affinity: FreeForm = None
    """Affinity rules of the pods, passed on unchanged."""
    args: list[PassedText] = []
    """Arguments of the container, for runtime `generic`; others use `extraArgs`."""
    autoscaling: Autoscaling | None = None
    """Makes a HorizontalPodAutoscaler, which then sets the number of pods."""
    batchSize: Annotated[Int32, Field(ge=1, le=16384)] | None = None
    """Prompt tokens processed at once (llama.cpp `--batch-size`)."""
    bindAddress: PassedText | None = None
    """Address on which the server listens; all addresses, `::`, by default."""
    cacheTypeCustomK: PassedText | None = None
    """KV cache type of keys that is not in the list of `cacheTypeK`; takes precedence over it and is not checked."""
    cacheTypeCustomV: PassedText | None = None
    """KV cache type of values that is not in the list of `cacheTypeV`; takes precedence over it and is not checked."""
    cacheTypeK: CacheType | None = None
    """KV cache type of keys (llama.cpp `--cache-type-k`)."""
    cacheTypeV: CacheType | None = None
    """KV cache type of values (llama.cpp `--cache-type-v`)."""
    command: list[PassedText] = []
    """Replaces the container's command, with every runtime."""
    containerPort: Port | None = None
    """Port on which the server listens; `endpoint.port` or the runtime's by default."""
    contextSize: Annotated[Int32, Field(ge=128, le=2097152)] | None = None
    """Context window in tokens (llama.cpp `--ctx-size`)."""
    disruption: Disruption | None = None
    """Protection of the pods' nodes from removal by Karpenter."""
    endpoint: Endpoint = defaults(Endpoint)
    """The Service in front of the pods."""
    env: list[EnvVar] = []
    """Environment variables of the container; they replace generated ones of the same name entirely."""
    evictionProtection: Boolean = False
    """Keeps the metal agent from stopping this service under memory pressure; no effect in a cluster."""
    extraArgs: list[Text] = []
    """Arguments after the generated ones (all runtimes but generic and personaplex); they replace generated flags."""
    extraVolumeMounts: list[VolumeMount] = []
    """Mounts of the server's container, after the generated ones; they replace those at the same path."""
    extraVolumes: list[Volume] = []
    """Volumes of the pods, after the generated ones; they replace those of the same name."""
    flashAttention: Boolean = False
    """Flash attention (llama.cpp `--flash-attn on`); only with GPUs."""
    hotCacheMaxSize: Text = ""
    """For oMLX on a Mac; no effect in a cluster."""
    image: PassedText | None = None
    """Container image; required for `generic` and `personaplex`, which have no default."""
    imagePullSecrets: list[LocalObjectReference] = []
    """Secrets for private registries."""
    jinja: Boolean = False
    """Render chat templates with Jinja, which tool calls need (llama.cpp `--jinja`)."""
    maxPodLifetimeIdleTimeoutSeconds: Annotated[Integer, Field(ge=0)] | None = None
    """How long the recycling of a pod waits until it is idle; no effect here."""
    maxPodLifetimeSeconds: Annotated[Integer, Field(ge=1)] | None = None
    """Age at which a pod is recycled, which only a running controller can do: no effect here."""
    metadataOverrides: list[PassedText] = []
    """GGUF metadata to override, each `key=type:value` (llama.cpp `--override-kv`)."""
    mode: Mode | None = None
    """Purpose of the service: sets llama.cpp's and SGLang's flags for embedding and reranking models; by default
    derived from the arguments and `endpoint.path`."""
    modelCache: ModelCache | None = None
    """Where downloaded models are kept."""
    modelRef: Name
    """Name of the Model, in the same namespace."""
    moeCPULayers: Annotated[Int32, Field(ge=0)] | None = None
    """Layers whose experts stay on the CPU (llama.cpp `--n-cpu-moe`); 0 gives no flag."""
    moeCPUOffload: Boolean = False
    """Keep all experts on the CPU (llama.cpp `--cpu-moe`)."""
    noKvOffload: Boolean = False
    """Keep the KV cache in system memory (llama.cpp `--no-kv-offload`)."""
    noWarmup: Boolean = False
    """Skip the first empty run at start (llama.cpp `--no-warmup`)."""
    nodeSelector: Strings = {}
    """Node labels that the pods require."""
    pagedSSDCacheDir: Text = ""
    """For oMLX on a Mac; no effect in a cluster."""
    pagedSSDCacheMaxSize: Text = ""
    """For oMLX on a Mac; no effect in a cluster."""
    parallelSlots: Annotated[Int32, Field(ge=1, le=64)] | None = None
    """Maximum number of concurrent requests (llama.cpp `--parallel`, vLLM `--max-num-seqs`)."""
    personaPlexConfig: PersonaPlexConfig | None = None
    """Settings of runtime `personaplex`."""
    podAnnotations: Strings = {}
    """Annotations of the pods."""
    podLabels: Strings = {}
    """Labels of the pods; generated labels can't be changed."""
    podSecurityContext: PodSecurityContext | None = None
    """Security context of the pods, merged over the defaults key by key."""
    priority: Priority = "normal"
    """Scheduling priority: the PriorityClass `llmkube-<priority>`."""
    priorityClassName: PassedText | None = None
    """Existing PriorityClass, in place of `priority`."""
    probeOverrides: ProbeOverrides = defaults(ProbeOverrides)
    """Probes that replace the default ones, each as a whole."""
    reasoningBudget: Annotated[Int32, Field(ge=0)] | None = None
    """Maximum number of thinking tokens in an answer, 0 for none (llama.cpp `--reasoning-budget`)."""
    reasoningBudgetMessage: PassedText | None = None
    """Text inserted when the reasoning budget is used up; only with `reasoningBudget`."""
    replicas: Annotated[Int32, Field(ge=0, le=10)] = 1
    """Number of pods; with `autoscaling`, the autoscaler sets it."""
    resources: Resources = defaults(Resources)
    """CPU, memory and GPUs of a pod."""
    revisionHistoryLimit: Annotated[Int32, Field(ge=0)] | None = None
    """Old ReplicaSets that the Deployment keeps; 10 by default."""
    rolloutPolicy: RolloutPolicy | None = None
    """When updates are made, which needs a running controller: no effect here."""
    ropeScaling: RopeScaling | None = None
    """Serve a longer context than the model was trained with (llama.cpp)."""
    runtime: Runtime = "llamacpp"
    """Inference server."""
    runtimeClassName: PassedText | None = None
    """RuntimeClass of the pods, often `nvidia`."""
    securityContext: SecurityContext | None = None
    """Security context of the server's container, merged over the defaults key by key."""
    sglangConfig: SGLangConfig | None = None
    """Settings of runtime `sglang`."""
    skipModelInit: Boolean = False
    """Don't download the model: it is in the image, or the server loads it itself."""
    slo: SLO | None = None
    """A service-level objective for Pyrra; only with `settings.llmkube.enablePyrraSLO`."""
    speculativeDecoding: SpeculativeDecoding | None = None
    """Speculative decoding (llama.cpp)."""
    suspend: Boolean = False
    """No pods and no autoscaler, whatever `replicas` says."""
    tensorOverrides: list[PassedText] = []
    """Tensor placement, each `name=device` (llama.cpp `--override-tensor`)."""
    tgiConfig: TGIConfig | None = None
    """Settings of runtime `tgi`."""
    tolerations: list[Toleration] = []
    """Node taints to tolerate, beside that of the GPU."""
    topologySpreadConstraints: list[TopologySpreadConstraint] = []
    """How the pods spread over nodes and zones, passed on unchanged."""
    turboQuantBits: QuantBits | None = None
    """For oMLX on a Mac; no effect in a cluster."""
    uBatchSize: Annotated[Int32, Field(ge=1)] | None = None
    """Tokens computed at once, at most `batchSize` (llama.cpp `--ubatch-size`)."""
    vllmConfig: VLLMConfig | None = None
    """Settings of runtime `vllm`."""
