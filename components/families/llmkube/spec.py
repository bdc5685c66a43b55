"""What an InferenceService may say: ``spec`` of ``inference.llmkube.dev/v1alpha1``, field by field."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...kubernetes.core import (
    EnvVar,
    KeySelector,
    LocalObjectReference,
    PodSecurityContext,
    Probe,
    SecurityContext,
    Toleration,
)
from ...kubernetes.scalars import Boolean, Int32, Name, Number, PassedText, Port, Quantity, Strings, Text
from .releases import LLMKubeSpec, newer_fields

CacheType = Literal["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"]
Priority = Literal["critical", "high", "normal", "low", "batch"]
Runtime = Literal["llamacpp", "personaplex", "vllm", "tgi", "generic"]


class Endpoint(LLMKubeSpec):
    HINTS: ClassVar = newer_fields("gateway", "nodePort")

    path: Text = "/v1/chat/completions"
    """HTTP path that clients use; shown in the endpoint output, no effect on the Service."""
    port: Port | None = None
    """Port of the Service; the container port by default."""
    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = "ClusterIP"
    """Type of the Service."""


class Metric(LLMKubeSpec):
    name: Name
    """Name of the metric: a pod metric such as `llamacpp:requests_processing`, or `cpu`, `memory`."""
    targetAverageUtilization: Annotated[Int32, Field(ge=1)] | None = None
    """Target in percent of the requested resource, for type Resource."""
    targetAverageValue: Quantity | None = None
    """Target average of each pod, for type Pods."""
    type: Literal["Pods", "Resource"]
    """Where the metric comes from."""


class Autoscaling(LLMKubeSpec):
    maxReplicas: Annotated[Int32, Field(ge=1, le=100)]
    """Most pods."""
    metrics: list[Metric] = []
    """What to scale on; the runtime's own load metric, 2 for each pod, by default."""
    minReplicas: Annotated[Int32, Field(ge=1, le=10)] = 1
    """Fewest pods."""


class PersonaPlexConfig(LLMKubeSpec):
    cpuOffload: Boolean = False
    """Move weights that do not fit the GPU to system memory; the image needs `accelerate`."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    quantize4Bit: Boolean = False
    """Load the weights in 4 bits; the image needs `bitsandbytes`."""


class ProbeOverrides(LLMKubeSpec):
    liveness: Probe | None = None
    """Takes the place of the liveness probe."""
    readiness: Probe | None = None
    """Takes the place of the readiness probe."""
    startup: Probe | None = None
    """Takes the place of the startup probe."""


class Resources(LLMKubeSpec):
    cpu: Quantity | None = None
    """CPU request."""
    gpu: Annotated[Int32, Field(ge=0, le=8)] = 0
    """GPUs of each pod, unless the Model says how many."""
    gpuMemory: Quantity | None = None
    """GPU memory that the service needs; a note for people, no effect."""
    hostMemory: Quantity | None = None
    """Memory request of a service that keeps experts or KV cache in system memory; takes precedence over `memory`."""
    memory: Quantity | None = None
    """Memory request."""


class RopeScaling(LLMKubeSpec):
    factor: Annotated[Text, Field(pattern=r"^[0-9]+(\.[0-9]+)?$")] | None = None
    """How many times the native context (`--rope-scale`)."""
    originalContext: Annotated[Int32, Field(ge=128)] | None = None
    """Context length that the model was trained with (`--yarn-orig-ctx`)."""
    type: Literal["linear", "yarn", "longrope"]
    """Scaling method (`--rope-scaling`)."""


class TGIConfig(LLMKubeSpec):
    dtype: Literal["float16", "bfloat16"] | None = None
    """Data type of the weights."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    maxInputLength: Int32 | None = None
    """Longest input, in tokens."""
    maxTotalTokens: Int32 | None = None
    """Longest input and output together, in tokens."""
    quantize: Literal["bitsandbytes", "gptq", "awq", "eetq"] | None = None
    """Quantization method."""


class Speculative(LLMKubeSpec):
    enabled: Boolean = False
    """Turns speculative decoding on; without it the other fields have no effect."""
    model: Text = ""
    """The draft model: name of a Model in the same namespace, or a model id as vLLM takes it."""
    numSpeculativeTokens: Annotated[Int32, Field(ge=1, le=16)] = 4
    """Draft tokens proposed at each step."""


class VLLMConfig(LLMKubeSpec):
    attentionBackend: (
        Literal["FLASH_ATTN", "FLASHINFER", "XFORMERS", "flashinfer", "flash_attn", "xformers", "torch_sdpa"] | None
    ) = None
    """Attention implementation (`--attention-backend`)."""
    cpuOffloadGB: Annotated[Int32, Field(ge=0)] | None = None
    """System memory that extends each GPU's, in GB (`--cpu-offload-gb`); only with GPUs."""
    dtype: Literal["auto", "float16", "bfloat16"] | None = None
    """Data type of the weights."""
    enableChunkedPrefill: Boolean = False
    """Mix long prefills with decode steps."""
    enableExpertParallel: Boolean = False
    """Spread a model's experts over the GPUs."""
    enablePrefixCaching: Boolean = False
    """Reuse the KV cache of prompts that begin alike."""
    gpuMemoryUtilization: Annotated[Number, Field(ge=0.1, le=0.99)] | None = None
    """Share of GPU memory that vLLM takes; only with GPUs."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    kvCacheCustomDtype: PassedText | None = None
    """KV cache type that is not in the list of `kvCacheDtype`; takes precedence over it and is not checked."""
    kvCacheDtype: Literal["auto", "fp8_e5m2", "fp8_e4m3"] = "auto"
    """KV cache type (`--kv-cache-dtype`); `auto` follows dtype and gives no flag."""
    maxModelLen: Int32 | None = None
    """Longest context, in tokens."""
    maxNumBatchedTokens: Annotated[Int32, Field(ge=512)] | None = None
    """Tokens batched in one step: the throughput knob."""
    quantization: Literal["awq", "gptq", "squeezellm", "fp8", "nvfp4", "compressed-tensors"] | None = None
    """Quantization method of the checkpoint."""
    speculative: Speculative | None = None
    """Speculative decoding with a smaller draft model."""
    tensorParallelSize: Int32 | None = None
    """GPUs that share one model; all GPUs of the pod by default."""


class InferenceServiceSpec(LLMKubeSpec):
    HINTS: ClassVar = newer_fields(
        "affinity",
        "bindAddress",
        "disruption",
        "extraVolumeMounts",
        "extraVolumes",
        "gpuSharing",
        "mode",
        "modelCache",
        "resourceClaims",
        "revisionHistoryLimit",
        "rolloutPolicy",
        "sglangConfig",
        "slo",
        "speculativeDecoding",
        "stageModel",
        "suspend",
        "topologySpreadConstraints",
    )

    args: list[PassedText] = []
    """Arguments of the container, for runtime `generic`; others take `extraArgs`."""
    autoscaling: Autoscaling | None = None
    """Makes a HorizontalPodAutoscaler, which then owns the number of pods."""
    batchSize: Annotated[Int32, Field(ge=1, le=16384)] | None = None
    """Tokens of a prompt that are processed at once (llama.cpp `--batch-size`)."""
    cacheTypeCustomK: PassedText | None = None
    """KV cache type of keys that is not in the list of `cacheTypeK`; takes precedence over it and is not checked."""
    cacheTypeCustomV: PassedText | None = None
    """KV cache type of values that is not in the list of `cacheTypeV`; takes precedence over it and is not checked."""
    cacheTypeK: CacheType | None = None
    """KV cache type of keys (llama.cpp `--cache-type-k`)."""
    cacheTypeV: CacheType | None = None
    """KV cache type of values (llama.cpp `--cache-type-v`)."""
    command: list[PassedText] = []
    """Takes the place of the container's command, with every runtime."""
    containerPort: Port | None = None
    """Port on which the server listens; `endpoint.port` or the runtime's own by default."""
    contextSize: Annotated[Int32, Field(ge=128, le=2097152)] | None = None
    """Context window in tokens (llama.cpp `--ctx-size`)."""
    endpoint: Endpoint = Endpoint()
    """The Service in front of the pods."""
    env: list[EnvVar] = []
    """Environment variables of the container; one that is generated too is replaced as a whole."""
    evictionProtection: Boolean = False
    """Keeps the metal agent from stopping this service under memory pressure; no effect in a cluster."""
    extraArgs: list[Text] = []
    """Arguments added after the generated ones (llamacpp, vllm, tgi); a flag that is generated too is left to these."""
    flashAttention: Boolean = False
    """Flash attention (llama.cpp `--flash-attn on`); only with GPUs."""
    image: PassedText | None = None
    """Container image; required for `generic` and `personaplex`, which have no default."""
    imagePullSecrets: list[LocalObjectReference] = []
    """Secrets for private registries."""
    jinja: Boolean = False
    """Render chat templates with Jinja, which tool calls need (llama.cpp `--jinja`)."""
    metadataOverrides: list[PassedText] = []
    """GGUF metadata to override, each `key=type:value` (llama.cpp `--override-kv`)."""
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
    """Node labels that the pods need."""
    parallelSlots: Annotated[Int32, Field(ge=1, le=64)] | None = None
    """Requests served at once (llama.cpp `--parallel`, vLLM `--max-num-seqs`)."""
    personaPlexConfig: PersonaPlexConfig | None = None
    """Settings of runtime `personaplex`."""
    podAnnotations: Strings = {}
    """Annotations of the pods."""
    podLabels: Strings = {}
    """Labels of the pods, beside those of the rules, which can't be changed."""
    podSecurityContext: PodSecurityContext | None = None
    """Security context of the pods, merged over the defaults key by key."""
    priority: Priority = "normal"
    """Scheduling priority: the PriorityClass `llmkube-<priority>`."""
    priorityClassName: PassedText | None = None
    """A PriorityClass of the cluster, in place of `priority`."""
    probeOverrides: ProbeOverrides = ProbeOverrides()
    """Probes that take the place of the default ones, each as a whole."""
    reasoningBudget: Annotated[Int32, Field(ge=0)] | None = None
    """Most thinking tokens of an answer, 0 for none (llama.cpp `--reasoning-budget`)."""
    reasoningBudgetMessage: PassedText | None = None
    """Text put in when the reasoning budget is used up; only with `reasoningBudget`."""
    replicas: Annotated[Int32, Field(ge=0, le=10)] = 1
    """Number of pods; with `autoscaling` the autoscaler's business."""
    resources: Resources = Resources()
    """CPU, memory and GPUs of a pod."""
    ropeScaling: RopeScaling | None = None
    """Serve a longer context than the model was trained with (llama.cpp)."""
    runtime: Runtime = "llamacpp"
    """Inference server."""
    runtimeClassName: PassedText | None = None
    """RuntimeClass of the pods, often `nvidia`."""
    securityContext: SecurityContext | None = None
    """Security context of the server's container, merged over the defaults key by key."""
    skipModelInit: Boolean = False
    """Don't download the model: it is in the image, or the server loads it itself."""
    tensorOverrides: list[PassedText] = []
    """Tensor placement, each `name=device` (llama.cpp `--override-tensor`)."""
    tgiConfig: TGIConfig | None = None
    """Settings of runtime `tgi`."""
    tolerations: list[Toleration] = []
    """Node taints to tolerate, beside that of the GPU."""
    uBatchSize: Annotated[Int32, Field(ge=1)] | None = None
    """Tokens computed at once, at most `batchSize` (llama.cpp `--ubatch-size`)."""
    vllmConfig: VLLMConfig | None = None
    """Settings of runtime `vllm`."""
