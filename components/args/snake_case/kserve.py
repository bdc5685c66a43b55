"""Generated from the models by `make generate`: kserve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import pulumi

from . import kubernetes

if TYPE_CHECKING:
    import pulumi_kubernetes.core.v1 as k8s_core_v1


class AdapterSpec(TypedDict):
    """A LoRA adapter: an additional model on top of the service's model."""

    name: str
    """Name by which requests ask for the adapter; differs from the model's."""
    uri: str
    """Where the adapter is: hf://, s3:// or pvc://."""
    criticality: NotRequired[Literal["Critical", "Standard", "Sheddable"] | None]
    """v1alpha1 only; has no effect."""


class AuthenticationRef(TypedDict):
    """AuthenticationRef, as in its YAML."""

    name: pulumi.Input[str]
    """Name of the TriggerAuthentication."""
    kind: NotRequired[str | None]
    """TriggerAuthentication or ClusterTriggerAuthentication."""


class BackendReference(TypedDict):
    """BackendReference, as in its YAML."""

    group: NotRequired[str | None]
    """API group, empty for a Service."""
    kind: NotRequired[str | None]
    """Kind of the backend. Default: `Service`."""
    name: pulumi.Input[str]
    """Name of the backend."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Its namespace, the route's by default."""
    port: NotRequired[int | None]
    """Port of the backend."""
    weight: NotRequired[int | None]
    """Relative share of the requests. Default: `1`."""
    filters: NotRequired[Sequence[Any] | None]
    """Filters of this backend."""


class ClaimTier(TypedDict):
    """ClaimTier, as in its YAML."""

    name: str
    """An existing claim."""
    path: NotRequired[str | None]
    """Folder within the claim."""


class ConfidentialSpec(TypedDict):
    """A model that is encrypted where it is stored; the storage initializer decrypts it after the download."""

    enabled: bool
    """Whether the model is decrypted."""
    resource_id: NotRequired[str | None]
    """The key at the Key Broker Service: kbs:///repository/type/tag."""


class CredentialSettings(TypedDict):
    """CredentialSettings, as in its YAML."""

    storage_secret_name_annotation: NotRequired[str | None]
    """Annotation of a service that names the Secret with the credentials of its downloads. Default:
    `serving.kserve.io/storageSecretName`."""
    s3: NotRequired[S3Settings]
    """S3 credentials."""


class EmptyDirTier(TypedDict):
    """EmptyDirTier, as in its YAML."""

    size: pulumi.Input[str | int | float]
    """Maximum size of the tier; also requested as ephemeral-storage."""


class ExtensionReference(TypedDict):
    """The endpoint picker in the v1alpha1 form."""

    group: NotRequired[str | None]
    """API group of the endpoint picker."""
    kind: NotRequired[str | None]
    """Kind of the endpoint picker. Default: `Service`."""
    name: str
    """Name of the endpoint picker and of its Service."""
    failure_mode: NotRequired[Literal["FailOpen", "FailClose"] | None]
    """Whether requests pass while the endpoint picker does not answer. Default: `FailClose`."""
    port_number: NotRequired[int | None]
    """gRPC port of the endpoint picker, 9002 by default."""


class FileSystemTier(TypedDict):
    """FileSystemTier, as in its YAML."""

    empty_dir: NotRequired[EmptyDirTier]
    """Disk of the node."""
    pvc: NotRequired[PersistentTier]
    """A claim."""


class GatewayReference(TypedDict):
    """GatewayReference, as in its YAML."""

    name: pulumi.Input[str]
    """Name of the Gateway."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Its namespace, the route's by default."""
    section_name: NotRequired[pulumi.Input[str] | None]
    """Listener of the Gateway."""


class GatewaySpec(TypedDict):
    """GatewaySpec, as in its YAML."""

    refs: NotRequired[Sequence[GatewayReference] | None]
    """Your Gateways instead of the platform's."""


class HPASpec(TypedDict):
    """HPASpec, as in its YAML."""

    behavior: NotRequired[Any | None]
    """Behaviour of the HorizontalPodAutoscaler in both directions."""


class HTTPRoute(TypedDict):
    """HTTPRoute, as in its YAML."""

    refs: NotRequired[Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None]
    """Your existing routes; no route is created."""
    spec: NotRequired[HTTPRouteSpec]
    """The route's spec; its lists replace the default ones."""


class HTTPRouteSpec(TypedDict):
    """HTTPRouteSpec, as in its YAML."""

    parent_refs: NotRequired[Sequence[ParentReference] | None]
    """Gateways that the route is attached to."""
    hostnames: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Host names that the route serves."""
    use_default_gateways: NotRequired[str | None]
    """Whether default Gateways also serve the route."""
    rules: NotRequired[Sequence[RouteRule] | None]
    """Rules; they replace all default rules."""


class HeaderMatch(TypedDict):
    """HeaderMatch, as in its YAML."""

    type: NotRequired[Literal["Exact", "RegularExpression"] | None]
    """Type of the value comparison. Default: `Exact`."""
    name: str
    """Name of the header or query parameter."""
    value: pulumi.Input[str]
    """Value to compare with."""


class ImageSettings(TypedDict):
    """Images of the presets."""

    vllm: NotRequired[str | None]
    """The model server. Default: `ghcr.io/llm-d/llm-d-cuda:v0.9.0`."""
    endpoint_picker: NotRequired[str | None]
    """The scheduler. Default: `ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0`."""
    routing_sidecar: NotRequired[str | None]
    """The routing sidecar of decode pods in services with prefill. Default:
    `ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.10.0`."""
    tokenizer: NotRequired[str | None]
    """The tokenizer. Default:
    `docker.io/vllm/vllm-openai-cpu:v0.23.0@sha256:89e1fbe829038b1a560601990c8ec89625c622a969fcbc8f10ce48b6139795be`."""


class InferencePoolSpec(TypedDict):
    """The v1alpha2 form; the v1alpha1 form has extensionRef, targetPortNumber and a flat selector of labels."""

    selector: NotRequired[PoolSelector]
    """Which pods belong to the pool."""
    target_ports: NotRequired[Sequence[PoolPort] | None]
    """Ports of the model servers, 8000 by default."""
    app_protocol: NotRequired[Literal["http", "kubernetes.io/h2c"] | None]
    """Protocol of the model servers."""
    endpoint_picker_ref: NotRequired[PickerReference]
    """The endpoint picker."""
    extension_ref: NotRequired[ExtensionReference]
    """v1alpha1 only: the endpoint picker."""
    target_port_number: NotRequired[int | None]
    """v1alpha1 only: port of the model servers."""


class IngressReference(TypedDict):
    """IngressReference, as in its YAML."""

    name: NotRequired[pulumi.Input[str] | None]
    """Name of the Ingress."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Its namespace."""


class IngressSettings(TypedDict):
    """IngressSettings, as in its YAML."""

    enable_llm_inference_service_tls: NotRequired[bool | None]
    """Encrypt the traffic between gateway, scheduler and model servers. Default: `false`."""
    kserve_ingress_gateway: NotRequired[str | None]
    """The platform's Gateway, as namespace/name. Default: `kserve/kserve-ingress-gateway`."""
    disable_http_route_timeout: NotRequired[bool | None]
    """Leave the timeouts out of generated routes, for gateways that refuse them. Default: `false`."""
    model_based_routing_header_name: NotRequired[str | None]
    """Header that carries the model's name on a shared gateway. Default: `X-Gateway-Model-Name`."""
    model_based_routing_mode: NotRequired[Literal["enabled", "forced", "disabled"] | None]
    """Whether routes match that header: enabled lets a Gateway opt out by annotation, forced does not. Default:
    `enabled`."""


class IngressSpec(TypedDict):
    """IngressSpec, as in its YAML."""

    refs: NotRequired[Sequence[IngressReference] | None]
    """Your Ingresses that lead to the service."""


class KEDASpec(TypedDict):
    """KEDASpec, as in its YAML."""

    polling_interval: NotRequired[int | None]
    """Seconds between checks."""
    cooldown_period: NotRequired[int | None]
    """Seconds after the last activity before KEDA scales to 0 or to `idleReplicaCount`."""
    initial_cooldown_period: NotRequired[int | None]
    """Seconds after the ScaledObject is created before the cooldown period begins."""
    idle_replica_count: NotRequired[int | None]
    """Replicas while no trigger is active; less than minReplicas."""
    fallback: NotRequired[Any | None]
    """Replicas while metrics are missing."""
    advanced: NotRequired[Any | None]
    """Advanced KEDA options."""
    triggers: Sequence[Trigger]
    """Triggers that scale the workload."""


class KServeSettings(TypedDict):
    """KServeSettings, as in its YAML."""

    ingress: NotRequired[IngressSettings]
    """Gateway, TLS and routes."""
    storage_initializer: NotRequired[StorageInitializerSettings]
    """How models are downloaded."""
    credentials: NotRequired[CredentialSettings]
    """Which keys of Secrets are credentials."""
    autoscaling_wva_controller_config: NotRequired[WVASettings]
    """Autoscaling by the Workload Variant Autoscaler through KEDA."""
    gateway_resolves: NotRequired[Literal["v1", "v1alpha2"] | None]
    """InferencePool API that routes refer to; by default v1alpha2 if a v1alpha2 pool is created, otherwise v1."""
    gateway_provider: NotRequired[Literal["istio"] | None]
    """Implementation of the Gateways. Istio's need a DestinationRule to speak TLS to endpoint pickers. Istio's Gateways
    are also recognized by their class, if they are among the manifests."""
    inference_pool_apis: NotRequired[Sequence[Literal["v1", "v1alpha2"]] | None]
    """APIs in which InferencePools are created: v1, v1alpha2 or both."""
    images: NotRequired[ImageSettings]
    """Images of the presets."""
    startup: NotRequired[kubernetes.StartupSettings]
    """How long pods may take to start."""
    presets: NotRequired[Mapping[str, Mapping[str, Any]] | None]
    """Changes to presets, by preset name: a part of an LLMInferenceService's spec that is merged over the preset."""
    propagation: NotRequired[PropagationSettings]
    """Which of a service's labels and annotations reach its pods."""
    ignore_unknown: NotRequired[bool | None]
    """Warn about fields that the rules don't know instead of refusing them. Default: `false`."""


class KVCacheOffloadingSpec(TypedDict):
    """KVCacheOffloadingSpec, as in its YAML."""

    cpu: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU memory for evicted KV cache blocks."""
    eviction_policy: NotRequired[Literal["lru", "arc"] | None]
    """Which blocks leave the CPU tier first. Default: `lru`."""
    secondary: NotRequired[Sequence[SecondaryTier] | None]
    """Further tiers, in the order in which they are used."""


class LoRASpec(TypedDict):
    """LoRASpec, as in its YAML."""

    adapters: NotRequired[Sequence[AdapterSpec] | None]
    """Adapters that are loaded at start."""
    max_rank: NotRequired[int | None]
    """Maximum rank of an adapter (--max-lora-rank)."""
    max_adapters: NotRequired[int | None]
    """How many adapters one batch may use (--max-loras)."""
    max_cpu_adapters: NotRequired[int | None]
    """How many adapters are kept in CPU memory (--max-cpu-loras)."""


class ModelSpec(TypedDict):
    """ModelSpec, as in its YAML."""

    uri: NotRequired[str | None]
    """Where the model is: hf://, s3://, pvc:// or oci://. An empty string, which KServe writes into configs, means no
    model."""
    name: NotRequired[str | None]
    """Name by which requests ask for the model; the service's name by default."""
    lora: NotRequired[LoRASpec]
    """LoRA adapters."""
    confidential: NotRequired[ConfidentialSpec]
    """v1alpha2 only: decrypt the model with a key that the pod is attested for."""
    criticality: NotRequired[Literal["Critical", "Standard", "Sheddable"] | None]
    """v1alpha1 only; has no effect."""


class ObjectReference(TypedDict):
    """ObjectReference, as in its YAML."""

    name: str
    """Name of an object in the service's namespace."""


class ParallelismSpec(TypedDict):
    """ParallelismSpec, as in its YAML."""

    tensor: NotRequired[int | None]
    """GPUs that share each layer (--tensor-parallel-size)."""
    pipeline: NotRequired[int | None]
    """Pods that share the layers; the size of a multi-node group."""
    data: NotRequired[int | None]
    """Copies of the model over all pods of a group (--data-parallel-size)."""
    data_local: NotRequired[int | None]
    """Copies of the model in one pod; data / dataLocal is the size of a multi-node group."""
    data_rpc_port: NotRequired[int | None]
    """Port of the data-parallel coordination, 5555 by default."""
    expert: NotRequired[bool | None]
    """Spread the experts of a mixture-of-experts model over the GPUs. Default: `false`."""


class ParentReference(TypedDict):
    """ParentReference, as in its YAML."""

    group: NotRequired[str | None]
    """API group of the parent. Default: `gateway.networking.k8s.io`."""
    kind: NotRequired[str | None]
    """Kind of the parent. Default: `Gateway`."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of the parent, the route's by default."""
    name: pulumi.Input[str]
    """Name of the parent."""
    section_name: NotRequired[pulumi.Input[str] | None]
    """A listener of the Gateway."""
    port: NotRequired[int | None]
    """A port of the Gateway."""


class PathMatch(TypedDict):
    """PathMatch, as in its YAML."""

    type: NotRequired[Literal["Exact", "PathPrefix", "RegularExpression"] | None]
    """Type of the path comparison. Default: `PathPrefix`."""
    value: NotRequired[pulumi.Input[str] | None]
    """Value to compare with. Default: `/`."""


class PersistentTier(TypedDict):
    """PersistentTier, as in its YAML."""

    spec: NotRequired[Any | None]
    """Spec of a claim that is created for each pod and deleted with it."""
    ref: NotRequired[ClaimTier]
    """An existing claim."""


class PickerPort(TypedDict):
    """PickerPort, as in its YAML."""

    number: int
    """gRPC port of the endpoint picker."""


class PickerReference(TypedDict):
    """PickerReference, as in its YAML."""

    group: NotRequired[str | None]
    """API group of the endpoint picker."""
    kind: NotRequired[str | None]
    """Kind of the endpoint picker. Default: `Service`."""
    name: str
    """Name of the endpoint picker and of its Service."""
    failure_mode: NotRequired[Literal["FailOpen", "FailClose"] | None]
    """Whether requests pass while the endpoint picker does not answer. Default: `FailClose`."""
    port: NotRequired[PickerPort]
    """gRPC port of the endpoint picker, 9002 by default."""


class PoolPort(TypedDict):
    """PoolPort, as in its YAML."""

    number: int
    """Port of the model servers."""


class PoolSelector(TypedDict):
    """PoolSelector, as in its YAML."""

    match_labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the pods, in addition to the service's."""


class PoolSpec(TypedDict):
    """PoolSpec, as in its YAML."""

    spec: NotRequired[InferencePoolSpec]
    """The pool's spec, merged over the default one."""
    ref: NotRequired[ObjectReference]
    """Your existing pool; neither a pool nor a scheduler is created."""


class PrometheusSettings(TypedDict):
    """PrometheusSettings, as in its YAML."""

    url: NotRequired[str | None]
    """Address of Prometheus, for autoscaling through KEDA."""
    tls_insecure_skip_verify: NotRequired[bool | None]
    """Skip verification of Prometheus' certificate. Default: `false`."""
    auth_modes: NotRequired[str | None]
    """KEDA authentication modes: bearer, basic, tls."""
    trigger_auth_name: NotRequired[str | None]
    """TriggerAuthentication that KEDA uses."""
    trigger_auth_kind: NotRequired[str | None]
    """TriggerAuthentication or ClusterTriggerAuthentication."""


class PropagationSettings(TypedDict):
    """Further prefixes of a service's labels and annotations that reach its workloads and pods."""

    label_prefixes: NotRequired[Sequence[str] | None]
    """In addition to kueue.x-k8s.io."""
    annotation_prefixes: NotRequired[Sequence[str] | None]
    """In addition to k8s.v1.cni.cncf.io, kueue.x-k8s.io and prometheus.io."""


class RolloutStrategy(TypedDict):
    """RolloutStrategy, as in its YAML."""

    max_unavailable: NotRequired[int | str | None]
    """How many replicas may be missing during an update."""
    max_surge: NotRequired[int | str | None]
    """How many extra replicas may run during an update."""


class RouteMatch(TypedDict):
    """RouteMatch, as in its YAML."""

    path: NotRequired[PathMatch]
    """Path of the request."""
    headers: NotRequired[Sequence[HeaderMatch] | None]
    """Headers that must match."""
    query_params: NotRequired[Sequence[HeaderMatch] | None]
    """Query parameters that must match."""
    method: NotRequired[str | None]
    """HTTP method."""


class RouteRule(TypedDict):
    """RouteRule, as in its YAML."""

    name: NotRequired[str | None]
    """Name of the rule."""
    matches: NotRequired[Sequence[RouteMatch] | None]
    """Conditions, one of which must match; all requests by default."""
    filters: NotRequired[Sequence[Any] | None]
    """Filters that are applied to the requests."""
    backend_refs: NotRequired[Sequence[BackendReference] | None]
    """Backends that get the requests."""
    timeouts: NotRequired[RouteTimeouts]
    """Time limits of the gateway."""
    retry: NotRequired[Any | None]
    """Retries."""
    session_persistence: NotRequired[Any | None]
    """Sticky sessions."""


class RouteSpec(TypedDict):
    """RouteSpec, as in its YAML."""

    http: NotRequired[HTTPRoute]
    """The HTTPRoute, or references to yours."""
    group: NotRequired[str | None]
    """Label of the route that selects the members of a group; traffic is not split between them here."""
    weight: NotRequired[int | None]
    """Share of the group's traffic; has no effect here."""


class RouteTimeouts(TypedDict):
    """RouteTimeouts, as in its YAML."""

    request: NotRequired[str | None]
    """Time for the whole request; 0s is unlimited."""
    backend_request: NotRequired[str | None]
    """Time for one attempt; 0s is unlimited."""


class RouterSpec(TypedDict):
    """RouterSpec, as in its YAML."""

    route: NotRequired[RouteSpec]
    """The HTTPRoute; {} creates the default one."""
    gateway: NotRequired[GatewaySpec]
    """The Gateway; {} uses the platform's."""
    ingress: NotRequired[IngressSpec]
    """Your Ingress, for information."""
    scheduler: NotRequired[SchedulerSpec]
    """The scheduler (endpoint picker); {} creates the default one."""


class S3Settings(TypedDict):
    """S3Settings, as in its YAML."""

    s3_access_key_id_name: NotRequired[str | None]
    """Secret key that holds the access key id. Default: `AWS_ACCESS_KEY_ID`."""
    s3_secret_access_key_name: NotRequired[str | None]
    """Secret key that holds the secret access key; a Secret with this key is used for S3. Default:
    `AWS_SECRET_ACCESS_KEY`."""
    s3_endpoint: NotRequired[str | None]
    """S3 endpoint, for Secrets without an annotation."""
    s3_use_https: NotRequired[str | None]
    """0 for plain HTTP."""
    s3_region: NotRequired[str | None]
    """Region."""
    s3_verify_ssl: NotRequired[str | None]
    """0 to skip certificate verification."""
    s3_use_virtual_bucket: NotRequired[str | None]
    """Virtual-host style addresses."""
    s3_use_accelerate: NotRequired[str | None]
    """Amazon's accelerated endpoints."""
    s3_use_anonymous_credential: NotRequired[str | None]
    """Anonymous access."""
    s3_ca_bundle: NotRequired[str | None]
    """Path of a CA bundle."""
    s3_ca_bundle_config_map: NotRequired[str | None]
    """ConfigMap with a CA bundle."""


class ScalingSpec(TypedDict):
    """ScalingSpec, as in its YAML."""

    min_replicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default."""
    max_replicas: NotRequired[int | None]
    """Maximum number of replicas."""
    wva: NotRequired[WVASpec]
    """Scaling by the Workload Variant Autoscaler."""
    keda: NotRequired[KEDASpec]
    """Scaling by your KEDA triggers."""


class SchedulerConfigSpec(TypedDict):
    """SchedulerConfigSpec, as in its YAML."""

    inline: NotRequired[Any | None]
    """The EndpointPickerConfig, as a mapping."""
    ref: NotRequired[kubernetes.KeySelector]
    """ConfigMap key with the EndpointPickerConfig; the ConfigMap must be among the manifests."""


class SchedulerSpec(TypedDict):
    """SchedulerSpec, as in its YAML."""

    pool: NotRequired[PoolSpec]
    """The InferencePool."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the scheduler's pods."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the scheduler's pods; app.kubernetes.io/version names the release for which the config is
    written."""
    template: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The scheduler's pod, merged over the default one."""
    config: NotRequired[SchedulerConfigSpec]
    """Configuration of the endpoint picker."""
    replicas: NotRequired[int | None]
    """Number of scheduler pods; one is active."""
    tokenizer: NotRequired[TokenizerSpec]
    """A separate tokenizer."""


class SecondaryTier(TypedDict):
    """SecondaryTier, as in its YAML."""

    file_system: NotRequired[FileSystemTier]
    """A tier on disk."""


class ServiceSpec(TypedDict):
    """The whole service. The fields of WorkloadSpec describe the decode workload."""

    replicas: NotRequired[int | None]
    """Number of pods, or of groups of pods on several nodes; not together with scaling."""
    scaling: NotRequired[ScalingSpec]
    """Bounds and method of autoscaling."""
    parallelism: NotRequired[ParallelismSpec]
    """How the model is spread over GPUs and pods."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the pods."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the pods."""
    template: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The pod, or the leader of a group, merged over the default one."""
    worker: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The workers of a group; with workers, the workload spans several nodes."""
    kv_cache_offloading: NotRequired[KVCacheOffloadingSpec]
    """Where evicted KV cache blocks go."""
    rollout_strategy: NotRequired[RolloutStrategy]
    """How pods are replaced in an update."""
    model: NotRequired[ModelSpec]
    """The model."""
    storage_initializer: NotRequired[StorageInitializerSpec]
    """How the model reaches the server."""
    router: NotRequired[RouterSpec]
    """How clients reach the server."""
    prefill: NotRequired[WorkloadSpec]
    """A separate workload for prompts; the main workload then only decodes."""
    tracing: NotRequired[TracingSpec]
    """Distributed tracing; {} switches it on."""
    base_refs: NotRequired[Sequence[ObjectReference] | None]
    """LLMInferenceServiceConfigs that this service builds on; later ones override earlier ones, and the service
    overrides all."""


class StorageInitializerSettings(TypedDict):
    """StorageInitializerSettings, as in its YAML."""

    image: NotRequired[str | None]
    """Image that downloads models. Default: `kserve/storage-initializer:v0.16.0`."""
    cpu_request: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request of the download. Default: `100m`."""
    cpu_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit of the download. Default: `1`."""
    memory_request: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request of the download. Default: `100Mi`."""
    memory_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit of the download. Default: `1Gi`."""
    ca_bundle_config_map_name: NotRequired[str | None]
    """ConfigMap in KServe's namespace with a private CA for all downloads. Pods mount the copy in their own namespace,
    named global-ca-bundle like the copies that KServe's controller makes."""
    ca_bundle_volume_mount_path: NotRequired[str | None]
    """Folder of the private CA in the download container. Default: `/etc/ssl/custom-certs`."""
    enable_modelcar: NotRequired[bool | None]
    """Whether oci:// models are allowed. Default: `true`."""
    cpu_modelcar: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU of a modelcar container. Default: `10m`."""
    memory_modelcar: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory of a modelcar container. Default: `15Mi`."""
    uid_modelcar: NotRequired[int | None]
    """User id that model server and modelcar share. Default: `1010`."""


class StorageInitializerSpec(TypedDict):
    """StorageInitializerSpec, as in its YAML."""

    enabled: NotRequired[bool | None]
    """Whether the model is fetched or mounted for the server; true by default."""


class TokenizerSpec(TypedDict):
    """TokenizerSpec, as in its YAML."""

    template: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The tokenizer's pod, merged over the default one."""


class TracingSpec(TypedDict):
    """TracingSpec, as in its YAML."""

    exporter_endpoint: NotRequired[str | None]
    """OTLP endpoint, http://otel-collector:4317 by default."""
    sampler: NotRequired[pulumi.Input[str] | None]
    """Trace sampler, parentbased_traceidratio by default."""
    sampler_arg: NotRequired[pulumi.Input[str] | None]
    """Argument of the sampler, 0.05 by default."""
    exporter: NotRequired[pulumi.Input[str] | None]
    """Trace exporter, otlp by default."""


class Trigger(TypedDict):
    """Trigger, as in its YAML."""

    type: str
    """KEDA scaler: prometheus, cron, …"""
    name: NotRequired[str | None]
    """Name of the trigger."""
    metadata: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Parameters of the scaler."""
    authentication_ref: NotRequired[AuthenticationRef]
    """Authentication of the scaler."""
    metric_type: NotRequired[str | None]
    """AverageValue, Value or Utilization."""
    use_cached_metrics: NotRequired[Any | None]
    """Whether metrics are cached between polls."""


class WVAKEDASpec(TypedDict):
    """WVAKEDASpec, as in its YAML."""

    polling_interval: NotRequired[int | None]
    """Seconds between checks."""
    cooldown_period: NotRequired[int | None]
    """Seconds after the last activity before KEDA scales to 0 or to `idleReplicaCount`."""
    initial_cooldown_period: NotRequired[int | None]
    """Seconds after the ScaledObject is created before the cooldown period begins."""
    idle_replica_count: NotRequired[int | None]
    """Replicas while no trigger is active; less than minReplicas."""
    fallback: NotRequired[Any | None]
    """Replicas while metrics are missing."""
    advanced: NotRequired[Any | None]
    """Advanced KEDA options."""


class WVASettings(TypedDict):
    """WVASettings, as in its YAML."""

    prometheus: NotRequired[PrometheusSettings]
    """The Prometheus that has the autoscaler's metrics."""


class WVASpec(TypedDict):
    """WVASpec, as in its YAML."""

    variant_cost: NotRequired[str | None]
    """Cost of a replica, in comparison with other variants of the model. Default: `10.0`."""
    hpa: NotRequired[HPASpec]
    """Scale through a HorizontalPodAutoscaler."""
    keda: NotRequired[WVAKEDASpec]
    """Scale through a KEDA ScaledObject."""


class WorkloadSpec(TypedDict):
    """A group of model servers: the decode (or only) workload, or prefill."""

    replicas: NotRequired[int | None]
    """Number of pods, or of groups of pods on several nodes; not together with scaling."""
    scaling: NotRequired[ScalingSpec]
    """Bounds and method of autoscaling."""
    parallelism: NotRequired[ParallelismSpec]
    """How the model is spread over GPUs and pods."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the pods."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the pods."""
    template: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The pod, or the leader of a group, merged over the default one."""
    worker: NotRequired[kubernetes.PodSpec | k8s_core_v1.PodSpecArgs]
    """The workers of a group; with workers, the workload spans several nodes."""
    kv_cache_offloading: NotRequired[KVCacheOffloadingSpec]
    """Where evicted KV cache blocks go."""
    rollout_strategy: NotRequired[RolloutStrategy]
    """How pods are replaced in an update."""
