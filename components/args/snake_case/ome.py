"""Generated from the models by `make generate`: ome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import pulumi

from . import kubernetes

if TYPE_CHECKING:
    import pulumi_kubernetes.core.v1 as k8s_core_v1


class Benchmark(TypedDict):
    """Benchmark, as in its YAML."""

    pod_config: NotRequired[BenchmarkPod]
    """Pod of benchmark jobs."""
    ttl_seconds_after_finished: NotRequired[int | None]
    """Seconds after which a finished job is deleted; kept by default, so that its results can be looked at."""
    output_storage_uri: NotRequired[str | None]
    """Default location of results, for jobs without outputLocation and storage keys."""
    slack_seconds: NotRequired[int | None]
    """Seconds added to the total time of the iterations to get the job's deadline. Default: `1800`."""


class BenchmarkJobSpec(TypedDict):
    """BenchmarkJobSpec, as in its YAML."""

    hugging_face_secret_reference: NotRequired[SecretName]
    """Secret with the Hugging Face token."""
    endpoint: NotRequired[Endpoint]
    """The service or API to measure."""
    service_metadata: NotRequired[ServiceMetadata]
    """Facts about the service, recorded with the results."""
    task: NotRequired[
        Literal["text-to-text", "image-to-text", "image-text-to-text", "text-to-embeddings", "image-to-embeddings"]
        | None
    ]
    """Kind of requests."""
    traffic_scenarios: NotRequired[Sequence[str] | None]
    """Traffic scenarios, for example D(100,100)."""
    num_concurrency: NotRequired[Sequence[int] | None]
    """Numbers of concurrent requests to test."""
    max_time_per_iteration: NotRequired[int | None]
    """Maximum number of minutes for each scenario and concurrency."""
    max_requests_per_iteration: NotRequired[int | None]
    """Maximum number of requests for each scenario and concurrency."""
    additional_request_params: NotRequired[Mapping[str, str] | None]
    """Additional request parameters."""
    dataset: NotRequired[StorageSpec]
    """Data for tasks other than text; has no effect here."""
    output_location: NotRequired[StorageSpec]
    """Where results are stored."""
    result_folder_name: NotRequired[str | None]
    """Name of the results folder."""
    pod_override: NotRequired[PodOverride]
    """Overrides of the pod."""


class BenchmarkPod(TypedDict):
    """BenchmarkPod, as in its YAML."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of genai-bench."""
    cpu_request: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `2`."""
    cpu_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `2`."""
    memory_request: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `2Gi`."""
    memory_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `2Gi`."""


class ClusterProfile(TypedDict):
    """Hardware profile that infrastructure.ome.io/profile names."""

    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes."""


class DataSet(TypedDict):
    """DataSet, as in its YAML."""

    storage_uri: NotRequired[str | None]
    """Where the data is stored."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """How it is read."""
    storage_key: NotRequired[str | None]
    """Key of the Secret with credentials."""


class Deploy(TypedDict):
    """Deploy, as in its YAML."""

    default_deployment_mode: NotRequired[str | None]
    """Deployment mode of services without the annotation ome.io/deploymentMode. Default: `RawDeployment`."""


class DeploymentStrategy(TypedDict):
    """DeploymentStrategy, as in its YAML."""

    rolling_update: NotRequired[RollingUpdate]
    """Bounds of a rolling update."""
    type: NotRequired[Literal["RollingUpdate", "Recreate"] | None]
    """RollingUpdate by default."""


class DirectEndpoint(TypedDict):
    """DirectEndpoint, as in its YAML."""

    url: pulumi.Input[str]
    """Address of the API; in a program it may be another component's output."""
    api_format: Literal["openai", "oci-cohere", "cohere"]
    """API format of the endpoint."""
    model_name: NotRequired[str | None]
    """Model name in requests."""


class Endpoint(TypedDict):
    """Endpoint, as in its YAML."""

    inference_service: NotRequired[Target]
    """A model service of the stack, of any family."""
    endpoint: NotRequired[DirectEndpoint]
    """An API endpoint, given by its address."""


class EngineSpec(TypedDict):
    """Engine or decoder."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dns_config: NotRequired[Any | None]
    """DNS settings."""
    dns_policy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enable_service_links: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeral_containers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    host_aliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    host_ipc: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    host_network: NotRequired[bool | None]
    """Share the node's network."""
    host_pid: NotRequired[bool | None]
    """Share the node's process namespace."""
    host_users: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostname_override: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    node_name: NotRequired[str | None]
    """Bind the pod to this node."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemption_policy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priority_class_name: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readiness_gates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resource_claims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtime_class_name: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    scheduler_name: NotRequired[str | None]
    """Scheduler that places the pod."""
    scheduling_gates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    scheduling_group: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    security_context: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    service_account: NotRequired[str | None]
    """Old name of serviceAccountName."""
    service_account_name: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    set_hostname_as_fqdn: NotRequired[bool | None]
    """Use the full name as host name."""
    share_process_namespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """The main container."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the component's objects and pods."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the component's objects and pods."""
    min_replicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    max_replicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    min_available: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    max_unavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scale_metric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scale_target: NotRequired[int | None]
    """Target value of the metric."""
    container_concurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeout_seconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canary_traffic_percent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deployment_strategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    keda_config: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    leader: NotRequired[LeaderSpec]
    """First pod of each group, if a model spans several nodes."""
    worker: NotRequired[WorkerSpec]
    """Other pods of each group."""
    accelerator_override: NotRequired[Any | None]
    """Accelerator of this component; only its acceleratorClass has an effect."""


class InferenceServiceSpec(TypedDict):
    """InferenceServiceSpec, as in its YAML."""

    predictor: NotRequired[PredictorSpec]
    """Model, runtime and engine in one field, and read as these. Deprecated by OME."""
    engine: NotRequired[EngineSpec]
    """Model server; if there is a decoder, it does the prefill."""
    decoder: NotRequired[EngineSpec]
    """The decode side of a disaggregated service."""
    router: NotRequired[RouterSpec]
    """Routes requests to engine and decoder."""
    model: NotRequired[ModelRef]
    """Reference to the model."""
    runtime: NotRequired[RuntimeRef]
    """Reference to the runtime; by default a fitting runtime is chosen."""
    keda_config: NotRequired[KedaConfig]
    """KEDA settings; those of a component take precedence."""
    accelerator_selector: NotRequired[Any | None]
    """Accelerator of the service; only its acceleratorClass has an effect."""


class Ingress(TypedDict):
    """Ingress, as in its YAML."""

    additional_ingress_domains: NotRequired[Sequence[str] | None]
    """Additional domains of every service."""
    disable_ingress_creation: NotRequired[bool | None]
    """Make a Service named like the InferenceService instead of an ingress. Default: `true`."""
    disable_istio_virtual_host: NotRequired[bool | None]
    """Make no VirtualService. Default: `true`."""
    domain_template: NotRequired[str | None]
    """Template of host names, with .Name, .Namespace and .IngressDomain. Default: `{{ .Name }}.{{ .Namespace }}.{{
    .IngressDomain }}`."""
    enable_gateway_api: NotRequired[bool | None]
    """Make an HTTPRoute instead of an Ingress. Default: `false`."""
    ingress_class_name: NotRequired[str | None]
    """Class of Ingresses."""
    ingress_domain: NotRequired[str | None]
    """Domain of the services. Default: `example.com`."""
    ingress_gateway: NotRequired[str | None]
    """Istio gateway for requests from outside. Default: `knative-serving/knative-ingress-gateway`."""
    ingress_service: NotRequired[str | None]
    """Service of that gateway. Default: `istio-ingressgateway.istio-system.svc.cluster.local`."""
    knative_local_gateway_service: NotRequired[str | None]
    """Service of Knative's gateway; localGatewayService by default."""
    local_gateway: NotRequired[str | None]
    """Istio gateway for requests from the cluster. Default: `knative-serving/knative-local-gateway`."""
    local_gateway_service: NotRequired[str | None]
    """Service of that gateway. Default: `knative-local-gateway.istio-system.svc.cluster.local`."""
    ome_ingress_gateway: NotRequired[str | None]
    """Gateway of the HTTPRoutes, as namespace/name."""
    path_template: NotRequired[str | None]
    """Path of a service below ingressDomain; has no effect here."""
    url_scheme: NotRequired[str | None]
    """Scheme of the services' addresses; has no effect here. Default: `http`."""


class KedaConfig(TypedDict):
    """How KEDA scales a service by a Prometheus query."""

    auth_modes: NotRequired[str | None]
    """basic, tls, bearer or custom, or several separated by commas; needs authenticationRef."""
    authentication_ref: NotRequired[TriggerAuthentication]
    """Credentials for Prometheus."""
    custom_prom_query: NotRequired[str | None]
    """The Prometheus query; %s stands for the component's name."""
    enable_keda: NotRequired[bool | None]
    """Not read by OME: the annotation ome.io/autoscalerClass decides."""
    prom_server_address: NotRequired[str | None]
    """Address of Prometheus, with http:// or https://."""
    scaling_operator: NotRequired[str | None]
    """GreaterThan, GreaterThanOrEqual, LessThan or LessThanOrEqual."""
    scaling_threshold: NotRequired[str | None]
    """The value that the query's result is compared with."""


class LeaderSpec(TypedDict):
    """LeaderSpec, as in its YAML."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dns_config: NotRequired[Any | None]
    """DNS settings."""
    dns_policy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enable_service_links: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeral_containers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    host_aliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    host_ipc: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    host_network: NotRequired[bool | None]
    """Share the node's network."""
    host_pid: NotRequired[bool | None]
    """Share the node's process namespace."""
    host_users: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostname_override: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    node_name: NotRequired[str | None]
    """Bind the pod to this node."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemption_policy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priority_class_name: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readiness_gates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resource_claims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtime_class_name: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    scheduler_name: NotRequired[str | None]
    """Scheduler that places the pod."""
    scheduling_gates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    scheduling_group: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    security_context: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    service_account: NotRequired[str | None]
    """Old name of serviceAccountName."""
    service_account_name: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    set_hostname_as_fqdn: NotRequired[bool | None]
    """Use the full name as host name."""
    share_process_namespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """Main container of the leader."""


class Metric(TypedDict):
    """Metric, as in its YAML."""

    name: str
    """Name of the metric."""
    goal: Literal["minimize", "maximize"]
    """Whether to minimize or maximize the metric."""


class MetricsAggregator(TypedDict):
    """MetricsAggregator, as in its YAML."""

    enable_metric_aggregation: NotRequired[bool | None]
    """Whether metrics are aggregated, for services without the annotation. Default: `false`."""
    enable_prometheus_scraping: NotRequired[bool | None]
    """Whether metrics are scraped, for services without the annotation. Default: `false`."""


class ModelConfig(TypedDict):
    """ModelConfig, as in its YAML."""

    input_model: NotRequired[str | None]
    """The model that training starts from."""
    output_model: NotRequired[StorageSpec]
    """Where the trained model is stored."""


class ModelInit(TypedDict):
    """The container that decrypts a model (annotation ome.io/inject-model-init)."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of the agent."""
    memory_request: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `1Gi`."""
    memory_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `1Gi`."""
    cpu_request: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `1`."""
    cpu_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `1`."""
    compartment_id: NotRequired[pulumi.Input[str] | None]
    """OCI compartment of the keys."""
    auth_type: NotRequired[str | None]
    """Authentication method of the agent. Default: `InstancePrincipal`."""
    vault_id: NotRequired[pulumi.Input[str] | None]
    """OCI vault of the keys."""
    region: NotRequired[pulumi.Input[str] | None]
    """OCI region."""


class ModelRef(TypedDict):
    """ModelRef, as in its YAML."""

    name: str
    """Name of the model."""
    kind: NotRequired[Literal["ClusterBaseModel", "BaseModel", "FineTunedWeight"] | None]
    """ClusterBaseModel by default."""
    api_group: NotRequired[str | None]
    """API group: ome.io."""
    fine_tuned_weights: NotRequired[Sequence[str] | None]
    """Fine-tuned weights on top of the model."""


class MultiNodeProber(TypedDict):
    """The Deployment that watches a Ray cluster of several nodes."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of the prober; without it no prober is created."""
    memory_request: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `100Mi`."""
    memory_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `100Mi`."""
    cpu_request: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `100m`."""
    cpu_limit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `100m`."""
    startup_failure_threshold: NotRequired[int | None]
    """Number of failed startup probes after which the start has failed. Default: `150`."""
    startup_period_seconds: NotRequired[int | None]
    """Seconds between startup probes. Default: `30`."""
    startup_timeout_seconds: NotRequired[int | None]
    """Seconds until a startup probe times out. Default: `60`."""
    startup_initial_delay_seconds: NotRequired[int | None]
    """Seconds until the first startup probe. Default: `200`."""
    unavailable_threshold_seconds: NotRequired[int | None]
    """How long a cluster may be unavailable; not used here. Default: `1800`."""


class OMESettings(TypedDict):
    """OMESettings, as in its YAML."""

    profile: NotRequired[Literal["document", "upstream"] | None]
    """document: the documented keys take effect. upstream: only what OME's controllers read takes effect. Default:
    `document`."""
    custom_keys: NotRequired[Mapping[str, str] | None]
    """A team's own keys in OME's domains, each with its meaning. They are not reported as unknown."""
    pod_monitors: NotRequired[bool | None]
    """Make a PodMonitor for services with monitoring.ome.io/scrape. Default: `false`."""
    profiles: NotRequired[Mapping[str, ClusterProfile] | None]
    """Hardware profiles by name."""
    ignore_unknown: NotRequired[bool | None]
    """Warn about unknown fields instead of rejecting them. Default: `false`."""
    version: NotRequired[str | None]
    """Release whose conventions the rendered objects follow: the label ome.io/version. Default: `v0.8.0`."""
    standard_labels: NotRequired[bool | None]
    """Put the documented labels (ome.io/part-of, serving.ome.io/component, …) on all objects of a service. Default:
    `false`."""
    model_node_selector: NotRequired[bool | None]
    """Select nodes that OME's model agent has labelled as having the model. Turn it off if no agent runs. Default:
    `true`."""
    additional_hosts: NotRequired[bool | None]
    """Serve the additional ingress domains, which OME's controllers leave out. Default: `false`."""
    startup: NotRequired[kubernetes.StartupSettings]
    """How long pods may take to start."""
    deploy: NotRequired[Deploy]
    """Default deployment mode."""
    ingress: NotRequired[Ingress]
    """Ingress of services."""
    metrics_aggregator: NotRequired[MetricsAggregator]
    """Defaults for metrics."""
    model_init: NotRequired[ModelInit]
    """The model-init container."""
    multinode_prober: NotRequired[MultiNodeProber]
    """The prober of Ray clusters."""
    benchmarkjob: NotRequired[Benchmark]
    """Benchmark jobs."""
    trainingjob: NotRequired[Training]
    """Training jobs."""


class PodOverride(TypedDict):
    """PodOverride, as in its YAML."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image to use instead of the platform's."""
    env: NotRequired[Sequence[kubernetes.EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Additional environment variables."""
    env_from: NotRequired[Sequence[kubernetes.EnvFromSource | k8s_core_v1.EnvFromSourceArgs] | None]
    """Environment variables from ConfigMaps and Secrets."""
    volume_mounts: NotRequired[Sequence[kubernetes.VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Additional volume mounts."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources, merged over the platform's."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Tolerations instead of the one for GPU nodes."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that the pod requires."""
    affinity: NotRequired[Any | None]
    """Affinity rules of the pod."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Additional volumes."""


class PredictorModel(TypedDict):
    """The model, with the fields of the container that serves it."""

    args: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Arguments of the command."""
    command: NotRequired[Sequence[pulumi.Input[str]] | None]
    """The command, run without a shell."""
    env: NotRequired[Sequence[kubernetes.EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Environment variables."""
    env_from: NotRequired[Sequence[kubernetes.EnvFromSource | k8s_core_v1.EnvFromSourceArgs] | None]
    """Environment variables from all keys of ConfigMaps and Secrets."""
    image: NotRequired[pulumi.Input[str] | None]
    """Container image."""
    image_pull_policy: NotRequired[Literal["Always", "IfNotPresent", "Never"] | None]
    """When the image is pulled."""
    lifecycle: NotRequired[kubernetes.Lifecycle | k8s_core_v1.LifecycleArgs]
    """What to do after start and before stop."""
    liveness_probe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Restarts the container when it fails."""
    name: NotRequired[str | None]
    """Name of the container."""
    ports: NotRequired[Sequence[kubernetes.ContainerPort | k8s_core_v1.ContainerPortArgs] | None]
    """Ports of the container."""
    readiness_probe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Takes the pod out of Services when it fails."""
    resize_policy: NotRequired[Sequence[kubernetes.ResizePolicy] | None]
    """What resizing a resource does to the container."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """What the container needs and may use."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """Always makes an init container a sidecar."""
    restart_policy_rules: NotRequired[Sequence[Any] | None]
    """Restart rules by exit code."""
    security_context: NotRequired[kubernetes.SecurityContext | k8s_core_v1.SecurityContextArgs]
    """Security settings."""
    startup_probe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Holds the other probes back until the container has started."""
    stdin: NotRequired[bool | None]
    """Keep stdin open."""
    stdin_once: NotRequired[bool | None]
    """Close stdin after the first attach."""
    termination_message_path: NotRequired[str | None]
    """File with the container's last words."""
    termination_message_policy: NotRequired[Literal["File", "FallbackToLogsOnError"] | None]
    """Whether the log counts when that file is empty."""
    tty: NotRequired[bool | None]
    """Allocate a terminal."""
    volume_devices: NotRequired[Sequence[kubernetes.VolumeDevice | k8s_core_v1.VolumeDeviceArgs] | None]
    """Block devices."""
    volume_mounts: NotRequired[Sequence[kubernetes.VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Where volumes are mounted."""
    working_dir: NotRequired[str | None]
    """Working directory."""
    base_model: NotRequired[str | None]
    """Name of the model."""
    fine_tuned_weights: NotRequired[Sequence[str] | None]
    """Fine-tuned weights on top of the model."""
    runtime: NotRequired[str | None]
    """Name of the runtime; without one a fitting runtime is chosen."""
    storage_uri: NotRequired[pulumi.Input[str] | None]
    """Handed to the server as the variable STORAGE_URI."""
    protocol_version: NotRequired[str | None]
    """Handed to the server as the variable PROTOCOL_VERSION."""
    runtime_version: NotRequired[str | None]
    """Version of the runtime's image; has no effect, as in OME."""


class PredictorSpec(TypedDict):
    """PredictorSpec, as in its YAML."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dns_config: NotRequired[Any | None]
    """DNS settings."""
    dns_policy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enable_service_links: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeral_containers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    host_aliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    host_ipc: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    host_network: NotRequired[bool | None]
    """Share the node's network."""
    host_pid: NotRequired[bool | None]
    """Share the node's process namespace."""
    host_users: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostname_override: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    node_name: NotRequired[str | None]
    """Bind the pod to this node."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemption_policy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priority_class_name: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readiness_gates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resource_claims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtime_class_name: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    scheduler_name: NotRequired[str | None]
    """Scheduler that places the pod."""
    scheduling_gates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    scheduling_group: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    security_context: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    service_account: NotRequired[str | None]
    """Old name of serviceAccountName."""
    service_account_name: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    set_hostname_as_fqdn: NotRequired[bool | None]
    """Use the full name as host name."""
    share_process_namespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """The main container."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the component's objects and pods."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the component's objects and pods."""
    min_replicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    max_replicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    min_available: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    max_unavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scale_metric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scale_target: NotRequired[int | None]
    """Target value of the metric."""
    container_concurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeout_seconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canary_traffic_percent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deployment_strategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    keda_config: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    model: NotRequired[PredictorModel]
    """The model and its runtime."""
    worker_spec: NotRequired[WorkerSpec]
    """Workers, when the model spans several nodes."""


class RollingUpdate(TypedDict):
    """RollingUpdate, as in its YAML."""

    max_surge: NotRequired[int | str | None]
    """Maximum additional pods during an update (number or percentage)."""
    max_unavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during an update (number or percentage)."""


class RouterSpec(TypedDict):
    """RouterSpec, as in its YAML."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dns_config: NotRequired[Any | None]
    """DNS settings."""
    dns_policy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enable_service_links: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeral_containers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    host_aliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    host_ipc: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    host_network: NotRequired[bool | None]
    """Share the node's network."""
    host_pid: NotRequired[bool | None]
    """Share the node's process namespace."""
    host_users: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostname_override: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    node_name: NotRequired[str | None]
    """Bind the pod to this node."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemption_policy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priority_class_name: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readiness_gates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resource_claims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtime_class_name: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    scheduler_name: NotRequired[str | None]
    """Scheduler that places the pod."""
    scheduling_gates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    scheduling_group: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    security_context: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    service_account: NotRequired[str | None]
    """Old name of serviceAccountName."""
    service_account_name: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    set_hostname_as_fqdn: NotRequired[bool | None]
    """Use the full name as host name."""
    share_process_namespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """The main container."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the component's objects and pods."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the component's objects and pods."""
    min_replicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    max_replicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    min_available: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    max_unavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scale_metric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scale_target: NotRequired[int | None]
    """Target value of the metric."""
    container_concurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeout_seconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canary_traffic_percent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deployment_strategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    keda_config: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    config: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Settings of the router's framework, as environment variables of its runner."""


class RuntimeRef(TypedDict):
    """RuntimeRef, as in its YAML."""

    name: str
    """Name of the runtime."""
    kind: NotRequired[Literal["ClusterServingRuntime", "ServingRuntime"] | None]
    """ClusterServingRuntime by default."""
    api_group: NotRequired[str | None]
    """API group: ome.io."""


class SecretName(TypedDict):
    """SecretName, as in its YAML."""

    name: pulumi.Input[str]
    """Name of the Secret; its key is HUGGINGFACE_API_KEY."""


class ServiceMetadata(TypedDict):
    """Facts about the service, recorded with the results."""

    engine: Literal["vLLM", "SGLang", "TGI", "cohere-TensorRT", "cohere-vLLM", "LlamaCPP"]
    """Engine of the service."""
    version: str
    """Version of the engine."""
    gpu_type: Literal["H100", "A100", "MI300", "A10", "A100-80G", "A100-40G", "H200", "B200", "RTX-PRO-6000"]
    """GPU of the service; A100 is recorded as A100-80G."""
    gpu_count: int
    """Number of GPUs."""


class StorageSpec(TypedDict):
    """Storage location of a model, a data set or results."""

    path: NotRequired[str | None]
    """Absolute path of a model on the node."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Access settings of the storage: region, auth, profile, …"""
    key: NotRequired[str | None]
    """Key of the Secret with credentials."""
    storage_uri: NotRequired[str | None]
    """oci://n/<namespace>/b/<bucket>/o/<path>, pvc://<claim>/<path>, s3://<bucket>[@<region>]/<path>, hf://…, …"""
    schema_path: NotRequired[str | None]
    """Path of the schema file."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes that store the model."""
    download_policy: NotRequired[Literal["AlwaysDownload", "ReuseIfExists"] | None]
    """Whether OME's model agent downloads again what a node already has. Only the agent reads this field."""
    node_affinity: NotRequired[Any | None]
    """Affinity rules for the nodes that store the model."""


class Target(TypedDict):
    """Target, as in its YAML."""

    name: str
    """Name of the service."""
    namespace: str
    """Namespace of the service."""


class Trainer(TypedDict):
    """Trainer, as in its YAML."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of the training container."""
    command: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Command of the container."""
    args: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Arguments of the command."""
    env: NotRequired[Sequence[kubernetes.EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Environment variables of the container."""
    num_nodes: NotRequired[int | None]
    """Number of nodes, 1 by default."""
    num_proc_per_node: NotRequired[str | None]
    """Processes on each node: auto, cpu, gpu or a number."""
    resources_per_node: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of each node's container."""


class Training(TypedDict):
    """Training, as in its YAML."""

    backend: NotRequired[Literal["JobSet", "Job", "TrainJob"] | None]
    """What a TrainingJob becomes: a JobSet, an Indexed Job, or Kubeflow's TrainJob. Default: `JobSet`."""
    image: NotRequired[pulumi.Input[str] | None]
    """Default image of trainers."""
    ssh_secret: NotRequired[str | None]
    """Secret with the SSH keys with which an MPI launcher reaches its workers."""
    max_restarts: NotRequired[int | None]
    """Maximum number of restarts of a failed JobSet (or of failed pods of a Job). Default: `3`."""
    ttl_seconds_after_finished: NotRequired[int | None]
    """Seconds after which a finished job is deleted; kept by default."""
    queue_label: NotRequired[str | None]
    """Label that gets the queue that infrastructure.ome.io/cluster names. Default: `kueue.x-k8s.io/queue-name`."""


class TrainingJobSpec(TypedDict):
    """TrainingJobSpec, as in its YAML."""

    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the derived objects and pods."""
    compartment_id: NotRequired[str | None]
    """OCI compartment."""
    datasets: NotRequired[Sequence[DataSet] | None]
    """Data to train on."""
    hyper_parameter_tuning_config: NotRequired[Tuning]
    """Search for hyperparameters; passed to the trainer as JSON."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the derived objects and pods."""
    model_config: NotRequired[ModelConfig]
    """Input and output models."""
    runtime_ref: NotRequired[TrainingRuntimeRef]
    """Runtime of a TrainJob; the other backends need none."""
    suspend: NotRequired[bool | None]
    """Start suspended."""
    trainer: NotRequired[Trainer]
    """The training container."""


class TrainingRuntimeRef(TypedDict):
    """TrainingRuntimeRef, as in its YAML."""

    api_group: NotRequired[str | None]
    """API group of the runtime."""
    kind: NotRequired[Literal["TrainingRuntime", "ClusterTrainingRuntime"] | None]
    """ClusterTrainingRuntime by default."""
    name: str
    """Name of the runtime."""


class TriggerAuthentication(TypedDict):
    """TriggerAuthentication, as in its YAML."""

    kind: NotRequired[Literal["TriggerAuthentication", "ClusterTriggerAuthentication"] | None]
    """TriggerAuthentication by default."""
    name: str
    """Name of the KEDA object."""


class Tuning(TypedDict):
    """Tuning, as in its YAML."""

    method: Literal["grid", "random", "bayes"]
    """Search method."""
    max_trials: NotRequired[int | None]
    """Maximum number of trials."""
    metric: Metric
    """Metric to optimize."""
    parameters: NotRequired[Any | None]
    """The parameters and their ranges."""


class WorkerSpec(TypedDict):
    """WorkerSpec, as in its YAML."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dns_config: NotRequired[Any | None]
    """DNS settings."""
    dns_policy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enable_service_links: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeral_containers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    host_aliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    host_ipc: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    host_network: NotRequired[bool | None]
    """Share the node's network."""
    host_pid: NotRequired[bool | None]
    """Share the node's process namespace."""
    host_users: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostname_override: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    image_pull_secrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    node_name: NotRequired[str | None]
    """Bind the pod to this node."""
    node_selector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemption_policy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priority_class_name: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readiness_gates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resource_claims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtime_class_name: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    scheduler_name: NotRequired[str | None]
    """Scheduler that places the pod."""
    scheduling_gates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    scheduling_group: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    security_context: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    service_account: NotRequired[str | None]
    """Old name of serviceAccountName."""
    service_account_name: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    set_hostname_as_fqdn: NotRequired[bool | None]
    """Use the full name as host name."""
    share_process_namespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """Main container of the workers."""
    size: NotRequired[int | None]
    """Number of workers of each leader."""
