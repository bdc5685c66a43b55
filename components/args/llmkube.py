"""Generated from the models by `make generate`: llmkube."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import pulumi

from . import kubernetes

if TYPE_CHECKING:
    import pulumi_kubernetes.core.v1 as k8s_core_v1


class Autoscaling(TypedDict):
    """Autoscaling, as in its YAML."""

    maxReplicas: int
    """Maximum number of pods."""
    metrics: NotRequired[Sequence[Metric] | None]
    """Metrics to scale on; by default the runtime's load metric, 2 for each pod (less for one or two slots)."""
    minReplicas: NotRequired[int | None]
    """Minimum number of pods. Default: `1`."""


class Disruption(TypedDict):
    """Disruption, as in its YAML."""

    protectAlways: NotRequired[bool | None]
    """Keep Karpenter from removing the pods' nodes (annotation `karpenter.sh/do-not-disrupt`). Default: `false`."""
    protectStartup: NotRequired[bool | None]
    """The same until the service is ready, which only a running controller can end: no effect here. Default: `true`."""


class Endpoint(TypedDict):
    """Endpoint, as in its YAML."""

    gateway: NotRequired[EndpointGateway]
    """Reach the service through Envoy AI Gateway: makes a Backend, an AIServiceBackend and an AIGatewayRoute."""
    nodePort: NotRequired[int | None]
    """Port of every node, for type NodePort; the cluster chooses one by default."""
    path: NotRequired[str | None]
    """HTTP path that clients use; shown in the endpoint output, no effect on the Service. Default:
    `/v1/chat/completions`."""
    port: NotRequired[int | None]
    """Port of the Service; the container port by default."""
    type: NotRequired[Literal["ClusterIP", "NodePort", "LoadBalancer"] | None]
    """Type of the Service. Default: `ClusterIP`."""


class EndpointGateway(TypedDict):
    """EndpointGateway, as in its YAML."""

    enabled: NotRequired[bool | None]
    """Whether the route is made. Default: `false`."""
    gatewayRef: GatewayReference
    """The Gateway of Envoy AI Gateway that serves the route."""
    modelName: NotRequired[str | None]
    """Model name of requests for this service; `modelRef` by default."""


class GPU(TypedDict):
    """GPU, as in its YAML."""

    count: NotRequired[int | None]
    """GPUs of each pod; takes precedence over the service's `resources.gpu`. Default: `0`."""
    enabled: NotRequired[bool | None]
    """Whether the model is meant for GPUs; chooses the image, never the number of GPUs. Default: `false`."""
    layers: NotRequired[int | None]
    """Layers that llama.cpp puts on the GPU; all of them (99) if it is 0 or -1. Default: `0`."""
    memory: NotRequired[str | None]
    """GPU memory that the model needs; informational, no effect."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Devices by dynamic resource allocation: claims or claim templates of the namespace, in place of a count."""
    resourceName: NotRequired[str | None]
    """Device resource to request, such as a MIG profile; the vendor's by default."""
    runtime: NotRequired[Literal["vulkan", "rocm"] | None]
    """Compute backend of AMD GPUs: chooses llama.cpp's image and the device resource."""
    sharding: NotRequired[Sharding]
    """How the model is spread over several GPUs."""
    tolerationKey: NotRequired[str | None]
    """Taint that the pods tolerate; the device resource's name by default."""
    vendor: NotRequired[Literal["nvidia", "amd", "intel"] | None]
    """Maker of the GPUs: chooses the device resource and the default image. Default: `nvidia`."""


class GPUSharing(TypedDict):
    """GPUSharing, as in its YAML."""

    memoryLimitGiB: NotRequired[int | None]
    """GPU memory that counts against LLMKube's GPUQuota, which needs its operator: no effect here."""
    mode: NotRequired[Literal["exclusive", "shared", "partitioned"] | None]
    """Whole GPUs, a share of a GPU in the shared pool, or a partition of a GPU. Default: `exclusive`."""
    profile: NotRequired[str | None]
    """MIG profile of the partition, such as `1g.24gb`; for mode partitioned only."""


class GatewayReference(TypedDict):
    """GatewayReference, as in its YAML."""

    name: str
    """Name of an existing Gateway."""
    namespace: NotRequired[str | None]
    """Namespace of the Gateway; the service's by default."""


class Hardware(TypedDict):
    """Hardware, as in its YAML."""

    accelerator: NotRequired[Literal["cpu", "metal", "cuda", "rocm", "intel", "vulkan"] | None]
    """Kind of machine. `metal` is served by LLMKube's agent outside the cluster: nothing is rendered. Default:
    `cpu`."""
    gpu: NotRequired[GPU]
    """GPU settings."""
    memoryBudget: NotRequired[str | None]
    """Memory limit for the metal agent; no effect in a cluster."""
    memoryFraction: NotRequired[float | None]
    """Memory share for the metal agent; no effect in a cluster."""


class InferenceServiceSpec(TypedDict):
    """InferenceServiceSpec, as in its YAML."""

    affinity: NotRequired[Any | None]
    """Affinity rules of the pods, passed on unchanged."""
    args: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Arguments of the container, for runtime `generic`; others use `extraArgs`."""
    autoscaling: NotRequired[Autoscaling]
    """Makes a HorizontalPodAutoscaler, which then sets the number of pods."""
    batchSize: NotRequired[int | None]
    """Prompt tokens processed at once (llama.cpp `--batch-size`)."""
    bindAddress: NotRequired[pulumi.Input[str] | None]
    """Address on which the server listens; all addresses, `::`, by default."""
    cacheTypeCustomK: NotRequired[pulumi.Input[str] | None]
    """KV cache type of keys that is not in the list of `cacheTypeK`; takes precedence over it and is not checked."""
    cacheTypeCustomV: NotRequired[pulumi.Input[str] | None]
    """KV cache type of values that is not in the list of `cacheTypeV`; takes precedence over it and is not checked."""
    cacheTypeK: NotRequired[Literal["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"] | None]
    """KV cache type of keys (llama.cpp `--cache-type-k`)."""
    cacheTypeV: NotRequired[Literal["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"] | None]
    """KV cache type of values (llama.cpp `--cache-type-v`)."""
    command: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Replaces the container's command, with every runtime."""
    containerPort: NotRequired[int | None]
    """Port on which the server listens; `endpoint.port` or the runtime's by default."""
    contextSize: NotRequired[int | None]
    """Context window in tokens (llama.cpp `--ctx-size`)."""
    disruption: NotRequired[Disruption]
    """Protection of the pods' nodes from removal by Karpenter."""
    endpoint: NotRequired[Endpoint]
    """The Service in front of the pods."""
    env: NotRequired[Sequence[kubernetes.EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Environment variables of the container; they replace generated ones of the same name entirely."""
    evictionProtection: NotRequired[bool | None]
    """Keeps the metal agent from stopping this service under memory pressure; no effect in a cluster. Default:
    `false`."""
    extraArgs: NotRequired[Sequence[str] | None]
    """Arguments after the generated ones (all runtimes but generic and personaplex); they replace generated flags."""
    extraVolumeMounts: NotRequired[Sequence[kubernetes.VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Mounts of the server's container, after the generated ones; they replace those at the same path."""
    extraVolumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pods, after the generated ones; they replace those of the same name."""
    flashAttention: NotRequired[bool | None]
    """Flash attention (llama.cpp `--flash-attn on`); only with GPUs. Default: `false`."""
    hotCacheMaxSize: NotRequired[str | None]
    """For oMLX on a Mac; no effect in a cluster."""
    image: NotRequired[pulumi.Input[str] | None]
    """Container image; required for `generic` and `personaplex`, which have no default."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets for private registries."""
    jinja: NotRequired[bool | None]
    """Render chat templates with Jinja, which tool calls need (llama.cpp `--jinja`). Default: `false`."""
    maxPodLifetimeIdleTimeoutSeconds: NotRequired[int | None]
    """How long the recycling of a pod waits until it is idle; no effect here."""
    maxPodLifetimeSeconds: NotRequired[int | None]
    """Age at which a pod is recycled, which only a running controller can do: no effect here."""
    metadataOverrides: NotRequired[Sequence[pulumi.Input[str]] | None]
    """GGUF metadata to override, each `key=type:value` (llama.cpp `--override-kv`)."""
    mode: NotRequired[Literal["chat", "embedding", "rerank"] | None]
    """Purpose of the service: sets llama.cpp's and SGLang's flags for embedding and reranking models; by default
    derived from the arguments and `endpoint.path`."""
    modelCache: NotRequired[ModelCache]
    """Where downloaded models are kept."""
    modelRef: str
    """Name of the Model, in the same namespace."""
    moeCPULayers: NotRequired[int | None]
    """Layers whose experts stay on the CPU (llama.cpp `--n-cpu-moe`); 0 gives no flag."""
    moeCPUOffload: NotRequired[bool | None]
    """Keep all experts on the CPU (llama.cpp `--cpu-moe`). Default: `false`."""
    noKvOffload: NotRequired[bool | None]
    """Keep the KV cache in system memory (llama.cpp `--no-kv-offload`). Default: `false`."""
    noWarmup: NotRequired[bool | None]
    """Skip the first empty run at start (llama.cpp `--no-warmup`). Default: `false`."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that the pods require."""
    pagedSSDCacheDir: NotRequired[str | None]
    """For oMLX on a Mac; no effect in a cluster."""
    pagedSSDCacheMaxSize: NotRequired[str | None]
    """For oMLX on a Mac; no effect in a cluster."""
    parallelSlots: NotRequired[int | None]
    """Maximum number of concurrent requests (llama.cpp `--parallel`, vLLM `--max-num-seqs`)."""
    personaPlexConfig: NotRequired[PersonaPlexConfig]
    """Settings of runtime `personaplex`."""
    podAnnotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the pods."""
    podLabels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the pods; generated labels can't be changed."""
    podSecurityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security context of the pods, merged over the defaults key by key."""
    priority: NotRequired[Literal["critical", "high", "normal", "low", "batch"] | None]
    """Scheduling priority: the PriorityClass `llmkube-<priority>`. Default: `normal`."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Existing PriorityClass, in place of `priority`."""
    probeOverrides: NotRequired[ProbeOverrides]
    """Probes that replace the default ones, each as a whole."""
    reasoningBudget: NotRequired[int | None]
    """Maximum number of thinking tokens in an answer, 0 for none (llama.cpp `--reasoning-budget`)."""
    reasoningBudgetMessage: NotRequired[pulumi.Input[str] | None]
    """Text inserted when the reasoning budget is used up; only with `reasoningBudget`."""
    replicas: NotRequired[int | None]
    """Number of pods; with `autoscaling`, the autoscaler sets it. Default: `1`."""
    resources: NotRequired[Resources]
    """CPU, memory and GPUs of a pod."""
    revisionHistoryLimit: NotRequired[int | None]
    """Old ReplicaSets that the Deployment keeps; 10 by default."""
    rolloutPolicy: NotRequired[RolloutPolicy]
    """When updates are made, which needs a running controller: no effect here."""
    ropeScaling: NotRequired[RopeScaling]
    """Serve a longer context than the model was trained with (llama.cpp)."""
    runtime: NotRequired[
        Literal["llamacpp", "llamacpp-router", "personaplex", "vllm", "tgi", "sglang", "generic"] | None
    ]
    """Inference server. Default: `llamacpp`."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """RuntimeClass of the pods, often `nvidia`."""
    securityContext: NotRequired[kubernetes.SecurityContext | k8s_core_v1.SecurityContextArgs]
    """Security context of the server's container, merged over the defaults key by key."""
    sglangConfig: NotRequired[SGLangConfig]
    """Settings of runtime `sglang`."""
    skipModelInit: NotRequired[bool | None]
    """Don't download the model: it is in the image, or the server loads it itself. Default: `false`."""
    slo: NotRequired[SLO]
    """A service-level objective for Pyrra; only with `settings.llmkube.enablePyrraSLO`."""
    speculativeDecoding: NotRequired[SpeculativeDecoding]
    """Speculative decoding (llama.cpp)."""
    suspend: NotRequired[bool | None]
    """No pods and no autoscaler, whatever `replicas` says. Default: `false`."""
    tensorOverrides: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Tensor placement, each `name=device` (llama.cpp `--override-tensor`)."""
    tgiConfig: NotRequired[TGIConfig]
    """Settings of runtime `tgi`."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Node taints to tolerate, beside that of the GPU."""
    topologySpreadConstraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How the pods spread over nodes and zones, passed on unchanged."""
    turboQuantBits: NotRequired[int | None]
    """For oMLX on a Mac; no effect in a cluster."""
    uBatchSize: NotRequired[int | None]
    """Tokens computed at once, at most `batchSize` (llama.cpp `--ubatch-size`)."""
    vllmConfig: NotRequired[VLLMConfig]
    """Settings of runtime `vllm`."""


class LLMKubeSettings(TypedDict):
    """LLMKubeSettings, as in its YAML."""

    ignoreUnknown: NotRequired[bool | None]
    """Warn about unknown fields instead of rejecting them. Default: `false`."""
    modelCachePath: NotRequired[str | None]
    """Empty turns the model cache off, so that every pod downloads its own copy. Any other text leaves it on. Default:
    `/models`."""
    modelCacheMode: NotRequired[Literal["shared", "perService"] | None]
    """One claim for all services of a namespace, or one for each service. Default: `shared`."""
    modelCacheSize: NotRequired[pulumi.Input[str | int | float] | None]
    """Size of a cache claim. Default: `100Gi`."""
    modelCacheStorageClass: NotRequired[pulumi.Input[str] | None]
    """Storage class of cache claims; the cluster's default when empty."""
    modelCacheAccessMode: NotRequired[Literal["ReadWriteOnce", "ReadWriteMany"] | None]
    """Access mode of the shared claim; a claim of one service is always ReadWriteOnce. Default: `ReadWriteOnce`."""
    deleteCache: NotRequired[bool | None]
    """Delete a namespace's shared claim, with all its models, when the stack's last service that uses it is removed.
    Default: `false`."""
    prepareModelCache: NotRequired[bool | None]
    """Run the container that gives the cache's root to the downloader's group. It needs uid 0: turn it off in
    namespaces that forbid that, if the storage honours fsGroup. Default: `true`."""
    initContainerImage: NotRequired[pulumi.Input[str] | None]
    """Image of the containers that prepare the cache and download models. Default:
    `docker.io/curlimages/curl:8.18.0`."""
    defaultFSGroup: NotRequired[int | None]
    """Group of the pods' volumes for services that name none; 0 leaves it out. Default: `102`."""
    driRenderGID: NotRequired[int | None]
    """Group of the nodes' render devices, added to pods that use them; 0 adds none. Default: `0`."""
    emitScrapeAnnotations: NotRequired[bool | None]
    """Put prometheus.io annotations on the pods. Default: `false`."""
    caCertConfigMap: NotRequired[pulumi.Input[str] | None]
    """ConfigMap with additional certificate authorities for downloads, in each service's namespace."""
    gpuSharingSharedPoolSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes whose GPUs are shared; `gpuSharing.mode: shared` needs it, unless the GPUs are AMD's."""
    enablePyrraSLO: NotRequired[bool | None]
    """Make a ServiceLevelObjective for services with `slo`; the cluster needs Pyrra's CRD. Default: `false`."""
    runtimeImages: NotRequired[RuntimeImages]
    """Images for services that set none."""
    allowedHostPathRoots: NotRequired[Sequence[str] | None]
    """Folders of the nodes from which models may be read; none by default."""
    existingClaims: NotRequired[Sequence[str] | None]
    """Existing claims (namespace/name) that pvc:// sources may use without a manifest."""
    featureGates: NotRequired[Sequence[str] | None]
    """Feature gates that the cluster enables although they are off by default; only SELinuxMount has an effect."""
    startup: NotRequired[kubernetes.StartupSettings]
    """How long pods may take to start."""
    podMonitor: NotRequired[PodMonitor]
    """One PodMonitor for all services."""


class Metric(TypedDict):
    """Metric, as in its YAML."""

    name: str
    """Name of the metric: a pod metric such as `llamacpp:requests_processing`, or `cpu`, `memory`."""
    targetAverageUtilization: NotRequired[int | None]
    """Target in percent of the requested resource, for type Resource."""
    targetAverageValue: NotRequired[pulumi.Input[str | int | float] | None]
    """Target average of each pod, for type Pods."""
    type: Literal["Pods", "Resource"]
    """Source of the metric."""


class ModelCache(TypedDict):
    """ModelCache, as in its YAML."""

    claimName: NotRequired[str | None]
    """Existing claim for downloaded models, in place of the shared one or the service's."""
    persistence: NotRequired[Literal["Cached", "Ephemeral"] | None]
    """`Ephemeral`: every pod downloads its own copy, into a volume that is deleted with the pod. Default: `Cached`."""


class ModelResources(TypedDict):
    """ModelResources, as in its YAML."""

    cpu: NotRequired[str | None]
    """CPU that the model needs; informational, the service's `resources` apply."""
    memory: NotRequired[str | None]
    """Memory that the model needs; informational, the service's `resources` apply."""


class ModelSpec(TypedDict):
    """ModelSpec, as in its YAML."""

    files: NotRequired[Sequence[str] | None]
    """Files of a Hugging Face repository or S3 prefix to stage; the first one is the model."""
    format: NotRequired[Literal["gguf", "mlx", "safetensors", "pytorch", "custom"] | None]
    """File format; with `files`, vLLM gets the directory unless it is `gguf`. Default: `gguf`."""
    hardware: NotRequired[Hardware]
    """Machine that the model is meant for."""
    mmproj: NotRequired[str | None]
    """Vision projector among `files`, staged with them (llama.cpp `--mmproj`)."""
    prefetch: NotRequired[bool | None]
    """Download into the shared cache now, with a Job, instead of when a service starts. Default: `false`."""
    prefetchTolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Node taints that the Job of `prefetch` tolerates."""
    quantization: NotRequired[str | None]
    """Quantization of the weights; informational, no effect."""
    refreshPolicy: NotRequired[Literal["IfNotPresent", "OnChange"] | None]
    """`OnChange` downloads again when the size at the source differs. Default: `IfNotPresent`."""
    resources: NotRequired[ModelResources]
    """What the model needs; informational, no effect."""
    sha256: NotRequired[str | None]
    """Checksum that a downloaded file must have, for models of one file."""
    source: pulumi.Input[str]
    """Where the weights are: a URL, `hf://org/name[@revision]` or `org/name`, `s3://bucket/key`, `pvc://claim/path`, or
    a path on the node."""
    sourceSecretRef: NotRequired[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs]
    """Secret whose keys the downloader gets as environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
    AWS_ENDPOINT_URL for S3, HF_TOKEN for Hugging Face."""


class PersonaPlexConfig(TypedDict):
    """PersonaPlexConfig, as in its YAML."""

    cpuOffload: NotRequired[bool | None]
    """Move weights that do not fit the GPU to system memory; the image needs `accelerate`. Default: `false`."""
    hfTokenSecretRef: NotRequired[kubernetes.KeySelector]
    """Secret key with the Hugging Face token."""
    quantize4Bit: NotRequired[bool | None]
    """Load the weights in 4 bits; the image needs `bitsandbytes`. Default: `false`."""


class PodMonitor(TypedDict):
    """PodMonitor, as in its YAML."""

    enabled: NotRequired[bool | None]
    """Make one PodMonitor for the pods of all services; the cluster needs the Prometheus operator's CRDs. Default:
    `false`."""
    name: NotRequired[str | None]
    """Name of the PodMonitor. Default: `llmkube-inference`."""
    namespace: NotRequired[str | None]
    """Namespace of the PodMonitor, which Prometheus must watch. Default: `llmkube-system`."""
    interval: NotRequired[str | None]
    """Time between scrapes. Default: `30s`."""
    additionalLabels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels by which Prometheus selects monitors."""


class ProbeOverrides(TypedDict):
    """ProbeOverrides, as in its YAML."""

    liveness: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Replaces the liveness probe."""
    readiness: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Replaces the readiness probe."""
    startup: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Replaces the startup probe."""


class Resources(TypedDict):
    """Resources, as in its YAML."""

    cpu: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request."""
    ephemeralStorage: NotRequired[pulumi.Input[str | int | float] | None]
    """Request and limit of node-local disk, and the size limit of an `Ephemeral` model cache."""
    gpu: NotRequired[int | None]
    """GPUs of each pod, unless the Model sets the number. Default: `0`."""
    gpuSharing: NotRequired[GPUSharing]
    """How a GPU is shared with other pods."""
    gpuMemory: NotRequired[str | None]
    """GPU memory that the service needs; informational, no effect."""
    hostMemory: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request of a service that keeps experts or KV cache in system memory; takes precedence over `memory`."""
    memory: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request."""


class RolloutPolicy(TypedDict):
    """RolloutPolicy, as in its YAML."""

    force: NotRequired[bool | None]
    """Update without waiting; updates never wait here. Default: `false`."""
    idleTimeoutSeconds: NotRequired[int | None]
    """How long an update waits for the server to be idle; no effect here. Default: `300`."""
    waitForIdle: NotRequired[bool | None]
    """Update only while no request is served, which only a running controller can see: no effect here. Default:
    `false`."""


class RopeScaling(TypedDict):
    """RopeScaling, as in its YAML."""

    factor: NotRequired[str | None]
    """Factor that extends the native context (`--rope-scale`)."""
    originalContext: NotRequired[int | None]
    """Context length that the model was trained with (`--yarn-orig-ctx`)."""
    type: Literal["linear", "yarn", "longrope"]
    """Scaling method (`--rope-scaling`)."""


class RuntimeImages(TypedDict):
    """RuntimeImages, as in its YAML."""

    llamacpp: NotRequired[pulumi.Input[str] | None]
    """Image of runtime llamacpp for services that set none."""
    vllm: NotRequired[pulumi.Input[str] | None]
    """Image of runtime vllm for services that set none."""
    sglang: NotRequired[pulumi.Input[str] | None]
    """Image of runtime sglang for services that set none."""
    tgi: NotRequired[pulumi.Input[str] | None]
    """Image of runtime tgi for services that set none."""


class SGLangAdapter(TypedDict):
    """SGLangAdapter, as in its YAML."""

    name: str
    """Name that requests use."""
    path: str
    """Folder of the adapter in the container, usually on one of `extraVolumes`."""


class SGLangConfig(TypedDict):
    """SGLangConfig, as in its YAML."""

    attentionBackend: NotRequired[Literal["flashinfer", "flash_attn", "torch_native"] | None]
    """Attention implementation (`--attention-backend`)."""
    chatTemplate: NotRequired[pulumi.Input[str] | None]
    """Name or path of a chat template in place of the model's (`--chat-template`)."""
    chunkedPrefillSize: NotRequired[int | None]
    """Tokens in each chunk of prefill (`--chunked-prefill-size`)."""
    contextLength: NotRequired[int | None]
    """Maximum context length, in tokens (`--context-length`)."""
    dataParallelSize: NotRequired[int | None]
    """Copies of the model within one pod (`--dp-size`)."""
    enablePrefixCaching: NotRequired[bool | None]
    """Reuse the KV cache of common prompt prefixes, which SGLang does by default. Default: `false`."""
    expertParallelSize: NotRequired[int | None]
    """GPUs that share a model's experts (`--ep-size`)."""
    hfTokenSecretRef: NotRequired[kubernetes.KeySelector]
    """Secret key with the Hugging Face token."""
    kvCacheCustomDtype: NotRequired[pulumi.Input[str] | None]
    """KV cache type that is not in the list of `kvCacheDtype`; takes precedence over it and is not checked."""
    kvCacheDtype: NotRequired[Literal["auto", "fp8_e5m2", "fp8_e4m3"] | None]
    """KV cache type (`--kv-cache-dtype`); `auto` gives no flag. Default: `auto`."""
    logLevel: NotRequired[Literal["debug", "info", "warning", "error"] | None]
    """Log level (`--log-level`)."""
    loraAdapters: NotRequired[Sequence[SGLangAdapter] | None]
    """LoRA adapters (`--lora-paths`)."""
    loraModules: NotRequired[Sequence[str] | None]
    """Older form of `loraAdapters`, each `name=path` or JSON with name and path; an adapter of the same name wins."""
    loraTargetModules: NotRequired[Sequence[str] | None]
    """Modules that adapters may change (`--lora-target-modules`)."""
    maxLoraRank: NotRequired[int | None]
    """Maximum rank of an adapter (`--max-lora-rank`)."""
    maxRunningRequests: NotRequired[int | None]
    """Maximum number of concurrent requests (`--max-running-requests`)."""
    memFractionStatic: NotRequired[float | None]
    """Share of GPU memory for weights and KV cache (`--mem-fraction-static`); only with GPUs."""
    quantization: NotRequired[pulumi.Input[str] | None]
    """Quantization method (`--quantization`)."""
    reasoningParser: NotRequired[Literal["qwen3", "deepseek-r1"] | None]
    """The parser that separates thinking from the answer (`--reasoning-parser`)."""
    skipTokenizerInit: NotRequired[bool | None]
    """Start without a tokenizer (`--skip-tokenizer-init`). Default: `false`."""
    speculative: NotRequired[SGLangSpeculative]
    """Speculative decoding."""
    tensorParallelSize: NotRequired[int | None]
    """GPUs that share one model (`--tp-size`); all GPUs of the pod by default."""
    toolCallParser: NotRequired[Literal["llama3", "qwen3", "qwen25", "hermes", "functionary", "mistral"] | None]
    """The parser that separates tool calls from text (`--tool-call-parser`)."""
    trustRemoteCode: NotRequired[bool | None]
    """Run code from the model's repository (`--trust-remote-code`). Default: `false`."""


class SGLangSpeculative(TypedDict):
    """SGLangSpeculative, as in its YAML."""

    acceptThresholdAcc: NotRequired[float | None]
    """Threshold of an accepted sequence (`--speculative-accept-threshold-acc`)."""
    acceptThresholdSingle: NotRequired[float | None]
    """Threshold of a single token (`--speculative-accept-threshold-single`)."""
    algorithm: NotRequired[Literal["EAGLE", "EAGLE3", "Medusa"] | None]
    """Method (`--speculative-algorithm`); required with `enabled`."""
    draftModelPath: NotRequired[pulumi.Input[str] | None]
    """The draft model: a Model, repository or path (`--speculative-draft-model-path`); required with `enabled`."""
    eagleTopK: NotRequired[int | None]
    """Branches of the draft tree (`--speculative-eagle-topk`)."""
    enabled: NotRequired[bool | None]
    """Turns speculative decoding on; without it the other fields have no effect. Default: `false`."""
    numDraftTokens: NotRequired[int | None]
    """Draft tokens proposed at each step (`--speculative-num-draft-tokens`); SGLang's choice by default."""
    numSteps: NotRequired[int | None]
    """Draft steps of each forward pass (`--speculative-num-steps`)."""


class SLO(TypedDict):
    """SLO, as in its YAML."""

    indicator: NotRequired[Literal["availability", "latency"] | None]
    """What is measured: whether pods can be scraped, or the share of requests that are faster than a threshold.
    Default: `availability`."""
    latencyThreshold: NotRequired[str | None]
    """Seconds, a bucket of the runtime's latency histogram; required for `latency`."""
    name: NotRequired[str | None]
    """Name of the ServiceLevelObjective; `<service>-<indicator>` by default."""
    objective: str
    """Target in percent, 50 to 99.999."""
    window: NotRequired[str | None]
    """Time window of the target. Default: `28d`."""


class Sharding(TypedDict):
    """Sharding, as in its YAML."""

    layerSplit: NotRequired[Sequence[str] | None]
    """Layers of each GPU as ranges, one `start-end` a GPU; an even split by default."""
    strategy: NotRequired[Literal["layer", "tensor", "row", "pipeline", "none"] | None]
    """How llama.cpp spreads the model: whole layers, rows of each tensor (`tensor`, `row`), or not at all. Default:
    `layer`."""


class Speculative(TypedDict):
    """Speculative, as in its YAML."""

    enabled: NotRequired[bool | None]
    """Turns speculative decoding on; without it the other fields have no effect. Default: `false`."""
    model: NotRequired[str | None]
    """The draft model: name of a Model in the same namespace, or a model id as vLLM takes it."""
    numSpeculativeTokens: NotRequired[int | None]
    """Draft tokens proposed at each step. Default: `4`."""


class SpeculativeDecoding(TypedDict):
    """SpeculativeDecoding, as in its YAML."""

    draftModel: NotRequired[str | None]
    """The draft model as a file of the Model's `files` (`--spec-draft-model`)."""
    draftModelRef: NotRequired[str | None]
    """The draft model as a Model of the namespace, downloaded beside the served one (`--spec-draft-model`)."""
    nDraftMax: NotRequired[int | None]
    """Maximum number of draft tokens in a step (`--spec-draft-n-max`)."""
    pMin: NotRequired[float | None]
    """Minimum probability of a draft token for the draft to continue (`--spec-draft-p-min`)."""
    type: Literal[
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
    """Method (`--spec-type`); `mtp` is `draft-mtp`, `draft` is `draft-simple`, `disabled` is `none`."""


class TGIConfig(TypedDict):
    """TGIConfig, as in its YAML."""

    dtype: NotRequired[Literal["float16", "bfloat16"] | None]
    """Data type of the weights."""
    hfTokenSecretRef: NotRequired[kubernetes.KeySelector]
    """Secret key with the Hugging Face token."""
    maxInputLength: NotRequired[int | None]
    """Maximum length of the input, in tokens."""
    maxTotalTokens: NotRequired[int | None]
    """Maximum length of input and output together, in tokens."""
    quantize: NotRequired[Literal["bitsandbytes", "gptq", "awq", "eetq"] | None]
    """Quantization method."""


class VLLMConfig(TypedDict):
    """VLLMConfig, as in its YAML."""

    attentionBackend: NotRequired[
        Literal["FLASH_ATTN", "FLASHINFER", "XFORMERS", "flashinfer", "flash_attn", "xformers", "torch_sdpa"] | None
    ]
    """Attention implementation (`--attention-backend`)."""
    cpuOffloadGB: NotRequired[int | None]
    """System memory that extends each GPU's, in GB (`--cpu-offload-gb`); only with GPUs."""
    dtype: NotRequired[Literal["auto", "float16", "bfloat16"] | None]
    """Data type of the weights."""
    enableChunkedPrefill: NotRequired[bool | None]
    """Mix long prefills with decode steps. Default: `false`."""
    enableExpertParallel: NotRequired[bool | None]
    """Spread a model's experts over the GPUs. Default: `false`."""
    enablePrefixCaching: NotRequired[bool | None]
    """Reuse the KV cache of common prompt prefixes. Default: `false`."""
    gpuMemoryUtilization: NotRequired[float | None]
    """Share of GPU memory that vLLM takes; only with GPUs."""
    hfTokenSecretRef: NotRequired[kubernetes.KeySelector]
    """Secret key with the Hugging Face token."""
    kvCacheCustomDtype: NotRequired[pulumi.Input[str] | None]
    """KV cache type that is not in the list of `kvCacheDtype`; takes precedence over it and is not checked."""
    kvCacheDtype: NotRequired[Literal["auto", "fp8_e5m2", "fp8_e4m3"] | None]
    """KV cache type (`--kv-cache-dtype`); `auto` follows dtype and gives no flag. Default: `auto`."""
    maxModelLen: NotRequired[int | None]
    """Maximum context length, in tokens."""
    maxNumBatchedTokens: NotRequired[int | None]
    """Tokens batched in one step, the main setting for throughput."""
    quantization: NotRequired[
        Literal["awq", "gptq", "squeezellm", "fp8", "nvfp4", "mxfp4", "compressed-tensors"] | None
    ]
    """Quantization method of the checkpoint."""
    speculative: NotRequired[Speculative]
    """Speculative decoding with a smaller draft model."""
    tensorParallelSize: NotRequired[int | None]
    """GPUs that share one model; all GPUs of the pod by default."""
