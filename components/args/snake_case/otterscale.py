"""Generated from the models by `make generate`: otterscale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import pulumi

from . import kubernetes

if TYPE_CHECKING:
    import pulumi_kubernetes.core.v1 as k8s_core_v1


class AcceleratorSpec(TypedDict):
    """The devices that the pods use."""

    type: Literal["nvidia", "amd", "intel-gaudi", "google", "cpu"]
    """Kind of device; decides which resource the pods ask for."""


class DefaultImages(TypedDict):
    """Images for services that name none."""

    engine: NotRequired[pulumi.Input[str] | None]
    """Image of the vLLM containers. Default: `ghcr.io/llm-d/llm-d-cuda:v0.5.1`."""
    epp: NotRequired[pulumi.Input[str] | None]
    """Image of the endpoint picker; it must match epp.configApiVersion. Default:
    `ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0`."""
    routing_proxy: NotRequired[pulumi.Input[str] | None]
    """Image of the routing proxy beside decode pods. Default: `ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0`."""


class EndpointPickerSettings(TypedDict):
    """Settings of all services' endpoint pickers."""

    provider: NotRequired[Literal["istio", "gke", "none"] | None]
    """Provider of the gateway: istio gets a DestinationRule, gke scrapes metrics without a token. Default: `istio`."""
    flags: NotRequired[Mapping[str, str] | None]
    """Further command line flags, names without dashes."""
    metrics_endpoint_auth: NotRequired[bool | None]
    """Whether reading the picker's metrics needs a token. Default: `true`."""
    default_gateway_name: NotRequired[str | None]
    """Gateway (in the namespace llm-d) of services without httpRoute; if empty, they get no route. Default:
    `llm-d-infra-inference-gateway`."""
    tracing: NotRequired[kubernetes.TracingSettings]
    """Traces of the picker and the routing proxy."""
    config_api_version: NotRequired[Literal["inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"] | None]
    """apiVersion of the picker's config file, as defaultImages.epp reads it. Default:
    `inference.networking.x-k8s.io/v1alpha1`."""
    plugins_config: NotRequired[kubernetes.EndpointPickerConfig]
    """EndpointPickerConfig for every service, instead of the built-in ones."""
    prefill_decode_plugins_config: NotRequired[kubernetes.EndpointPickerConfig]
    """EndpointPickerConfig for services with prefill; pluginsConfig by default."""


class Engine(TypedDict):
    """The vLLM container of every role."""

    image: NotRequired[pulumi.Input[str] | None]
    """Container image; settings.otterscale.defaultImages.engine by default."""
    image_pull_policy: NotRequired[pulumi.Input[str] | None]
    """When the image is pulled: Always, IfNotPresent or Never."""
    args: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Further arguments of `vllm serve`, after the generated ones."""
    env: NotRequired[Sequence[kubernetes.EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Further environment variables."""
    port: NotRequired[int | None]
    """Port on which the pods take requests. Default: `8000`."""


class GatewayRef(TypedDict):
    """A Gateway."""

    name: str
    """Name of the Gateway."""
    namespace: NotRequired[str | None]
    """Its namespace; that of the service by default."""


class HTTPRouteSpec(TypedDict):
    """How requests reach the service."""

    gateway_ref: GatewayRef
    """The Gateway that takes the requests."""
    hostnames: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Host names of the route; all by default."""


class InferencePoolSpec(TypedDict):
    """The pool of the service's pods."""

    endpoint_picker: PickerSpec
    """The endpoint picker."""


class ModelServiceSpec(TypedDict):
    """A model, an engine, an accelerator, and the pods that use them."""

    model: ModelSource
    """The model."""
    engine: Engine
    """The engine, the same for all roles."""
    accelerator: AcceleratorSpec
    """The accelerator, the same for all roles."""
    decode: RoleSpec
    """Pods that generate tokens."""
    prefill: NotRequired[RoleSpec]
    """Pods that only process prompts; without it decode pods do that too."""
    routing_proxy: NotRequired[RoutingProxySpec]
    """Sidecar of decode pods, needed with prefill."""
    inference_pool: NotRequired[InferencePoolSpec]
    """The service's InferencePool; without it a default one is created."""
    http_route: NotRequired[HTTPRouteSpec]
    """The service's HTTPRoute; without it one to the default gateway is created, if there is one."""
    monitoring: NotRequired[MonitoringSpec]
    """Metrics."""


class ModelSource(TypedDict):
    """Which model, and the OCI image (ModelPack) that holds it."""

    name: str
    """Name under which the engine serves the model."""
    image: pulumi.Input[str]
    """OCI reference of the ModelPack that is unpacked into each pod."""
    mount_path: NotRequired[str | None]
    """Where the engine finds the model. Default: `/models`."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Registry credentials; the first one is also used to pull the model."""


class MonitoringSpec(TypedDict):
    """MonitoringSpec, as in its YAML."""

    pod_monitor: NotRequired[PodMonitorSpec]
    """Metrics of the serving pods, for the Prometheus operator."""


class OtterScaleSettings(TypedDict):
    """Settings of OtterScale services. The defaults are those of upstream's operator."""

    version: NotRequired[str | None]
    """Value of the app.kubernetes.io/version label; empty leaves the label out. Default: `devel`."""
    kit_image: NotRequired[pulumi.Input[str] | None]
    """Image whose `kit` unpacks the model; if empty, nothing is unpacked. Default:
    `ghcr.io/kitops-ml/kitops:v1.11.0`."""
    plain_http: NotRequired[bool | None]
    """Whether models are pulled without TLS, from a registry inside the cluster that has none. Default: `false`."""
    default_images: NotRequired[DefaultImages]
    """Images for services that name none."""
    epp: NotRequired[EndpointPickerSettings]
    """Settings of the endpoint pickers."""
    startup: NotRequired[kubernetes.StartupSettings]
    """How long pods may take to start."""
    serving_probes: NotRequired[bool | None]
    """Give the vLLM containers startup, readiness and liveness probes. Default: `true`."""
    shm_for_tensor_parallel: NotRequired[bool | None]
    """Give pods with tensor parallelism a memory-backed /dev/shm. Default: `true`."""
    shm_size_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """Maximum size of /dev/shm; half of the node's memory by default."""
    route_timeout: NotRequired[str | None]
    """Request and backend timeout of the routes; 0s means none. By default the gateway's timeouts apply."""
    ignore_unknown: NotRequired[bool | None]
    """Warn about fields that the rules don't know instead of refusing them. Default: `false`."""


class Parallelism(TypedDict):
    """How an instance of the model is spread over devices; a pod gets tensor x dataLocal of them."""

    tensor: NotRequired[int | None]
    """Tensor parallel size. Default: `1`."""
    data: NotRequired[int | None]
    """Data parallel size, over all pods. Default: `1`."""
    data_local: NotRequired[int | None]
    """Data parallel size within a pod. Default: `1`."""


class PickerSpec(TypedDict):
    """The endpoint picker of the service's pool."""

    image: NotRequired[pulumi.Input[str] | None]
    """Container image; settings.otterscale.defaultImages.epp by default."""
    replicas: NotRequired[int | None]
    """Number of pods; with more than one a leader is elected. Default: `1`."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Limits and requests; with neither, 4 CPUs and 8Gi, at most 16Gi."""
    port: NotRequired[int | None]
    """Port on which the gateway asks for an endpoint. Default: `9002`."""
    failure_mode: NotRequired[Literal["FailOpen", "FailClose"] | None]
    """What the gateway does without an answer: pick by itself, or refuse the request. Default: `FailOpen`."""


class PodMonitorSpec(TypedDict):
    """Which metrics Prometheus reads, and how often."""

    enabled: NotRequired[bool | None]
    """Create PodMonitors and, with an inferencePool, a ServiceMonitor for its endpoint picker. Default: `false`."""
    port_name: NotRequired[str | None]
    """Name of the pods' port with the metrics. Default: `http`."""
    path: NotRequired[pulumi.Input[str] | None]
    """Path of the metrics. Default: `/metrics`."""
    interval: NotRequired[str | None]
    """How often the metrics are read. Default: `30s`."""


class RoleSpec(TypedDict):
    """Pods of one role: decode (which also does prefill when there is no prefill role) or prefill."""

    replicas: NotRequired[int | None]
    """Number of pods. Default: `1`."""
    parallelism: NotRequired[Parallelism]
    """Parallelism; 1 in each dimension by default."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Limits and requests of the engine; the accelerator's device is set by the parallelism."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes that the pods may run on."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pods tolerate."""


class RoutingProxySpec(TypedDict):
    """The sidecar of decode pods that has prefill pods process prompts first."""

    image: NotRequired[pulumi.Input[str] | None]
    """Container image; settings.otterscale.defaultImages.routingProxy by default."""
    connector: NotRequired[pulumi.Input[str] | None]
    """How the KV cache gets from prefill to decode. Default: `nixlv2`."""
    target_port: NotRequired[int | None]
    """Port on which vLLM listens behind the proxy. Default: `8200`."""
    zap_encoder: NotRequired[pulumi.Input[str] | None]
    """Log format: json or console."""
    zap_log_level: NotRequired[pulumi.Input[str] | None]
    """Log level."""
    secure_proxy: NotRequired[bool | None]
    """Whether the proxy takes requests by TLS; not by default, as gateway and endpoint picker speak HTTP."""
    prefiller_use_tls: NotRequired[bool | None]
    """Whether the proxy talks TLS to prefill pods."""
    cert_path: NotRequired[pulumi.Input[str] | None]
    """Folder with the proxy's certificate."""
