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

    podConfig: NotRequired[BenchmarkPod]
    """Pod of benchmark jobs."""
    ttlSecondsAfterFinished: NotRequired[int | None]
    """Seconds after which a finished job is deleted; kept by default, so that its results can be looked at."""
    outputStorageUri: NotRequired[str | None]
    """Default location of results, for jobs without outputLocation and storage keys."""
    slackSeconds: NotRequired[int | None]
    """Seconds added to the total time of the iterations to get the job's deadline. Default: `1800`."""


class BenchmarkJobSpec(TypedDict):
    """BenchmarkJobSpec, as in its YAML."""

    huggingFaceSecretReference: NotRequired[SecretName]
    """Secret with the Hugging Face token."""
    endpoint: NotRequired[Endpoint]
    """The service or API to measure."""
    serviceMetadata: NotRequired[ServiceMetadata]
    """Facts about the service, recorded with the results."""
    task: NotRequired[
        Literal["text-to-text", "image-to-text", "image-text-to-text", "text-to-embeddings", "image-to-embeddings"]
        | None
    ]
    """Kind of requests."""
    trafficScenarios: NotRequired[Sequence[str] | None]
    """Traffic scenarios, for example D(100,100)."""
    numConcurrency: NotRequired[Sequence[int] | None]
    """Numbers of concurrent requests to test."""
    maxTimePerIteration: NotRequired[int | None]
    """Maximum number of minutes for each scenario and concurrency."""
    maxRequestsPerIteration: NotRequired[int | None]
    """Maximum number of requests for each scenario and concurrency."""
    additionalRequestParams: NotRequired[Mapping[str, str] | None]
    """Additional request parameters."""
    dataset: NotRequired[StorageSpec]
    """Data for tasks other than text; has no effect here."""
    outputLocation: NotRequired[StorageSpec]
    """Where results are stored."""
    resultFolderName: NotRequired[str | None]
    """Name of the results folder."""
    podOverride: NotRequired[PodOverride]
    """Overrides of the pod."""


class BenchmarkPod(TypedDict):
    """BenchmarkPod, as in its YAML."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of genai-bench."""
    cpuRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `2`."""
    cpuLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `2`."""
    memoryRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `2Gi`."""
    memoryLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `2Gi`."""


class ClusterProfile(TypedDict):
    """Hardware profile that infrastructure.ome.io/profile names."""

    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes."""


class DataSet(TypedDict):
    """DataSet, as in its YAML."""

    storageUri: NotRequired[str | None]
    """Where the data is stored."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """How it is read."""
    storageKey: NotRequired[str | None]
    """Key of the Secret with credentials."""


class Deploy(TypedDict):
    """Deploy, as in its YAML."""

    defaultDeploymentMode: NotRequired[str | None]
    """Deployment mode of services without the annotation ome.io/deploymentMode. Default: `RawDeployment`."""


class DeploymentStrategy(TypedDict):
    """DeploymentStrategy, as in its YAML."""

    rollingUpdate: NotRequired[RollingUpdate]
    """Bounds of a rolling update."""
    type: NotRequired[Literal["RollingUpdate", "Recreate"] | None]
    """RollingUpdate by default."""


class DirectEndpoint(TypedDict):
    """DirectEndpoint, as in its YAML."""

    url: pulumi.Input[str]
    """Address of the API; in a program it may be another component's output."""
    apiFormat: Literal["openai", "oci-cohere", "cohere"]
    """API format of the endpoint."""
    modelName: NotRequired[str | None]
    """Model name in requests."""


class Endpoint(TypedDict):
    """Endpoint, as in its YAML."""

    inferenceService: NotRequired[Target]
    """A model service of the stack, of any family."""
    endpoint: NotRequired[DirectEndpoint]
    """An API endpoint, given by its address."""


class EngineSpec(TypedDict):
    """Engine or decoder."""

    activeDeadlineSeconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automountServiceAccountToken: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dnsConfig: NotRequired[Any | None]
    """DNS settings."""
    dnsPolicy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enableServiceLinks: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    hostIPC: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    hostNetwork: NotRequired[bool | None]
    """Share the node's network."""
    hostPID: NotRequired[bool | None]
    """Share the node's process namespace."""
    hostUsers: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostnameOverride: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    initContainers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    nodeName: NotRequired[str | None]
    """Bind the pod to this node."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemptionPolicy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readinessGates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    schedulerName: NotRequired[str | None]
    """Scheduler that places the pod."""
    schedulingGates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    schedulingGroup: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    securityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    serviceAccount: NotRequired[str | None]
    """Old name of serviceAccountName."""
    serviceAccountName: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: NotRequired[bool | None]
    """Use the full name as host name."""
    shareProcessNamespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topologySpreadConstraints: NotRequired[
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
    minReplicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    maxReplicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    minAvailable: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    maxUnavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scaleMetric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scaleTarget: NotRequired[int | None]
    """Target value of the metric."""
    containerConcurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeoutSeconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canaryTrafficPercent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deploymentStrategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    kedaConfig: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    leader: NotRequired[LeaderSpec]
    """First pod of each group, if a model spans several nodes."""
    worker: NotRequired[WorkerSpec]
    """Other pods of each group."""
    acceleratorOverride: NotRequired[Any | None]
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
    kedaConfig: NotRequired[KedaConfig]
    """KEDA settings; those of a component take precedence."""
    acceleratorSelector: NotRequired[Any | None]
    """Accelerator of the service; only its acceleratorClass has an effect."""


class Ingress(TypedDict):
    """Ingress, as in its YAML."""

    additionalIngressDomains: NotRequired[Sequence[str] | None]
    """Additional domains of every service."""
    disableIngressCreation: NotRequired[bool | None]
    """Make a Service named like the InferenceService instead of an ingress. Default: `true`."""
    disableIstioVirtualHost: NotRequired[bool | None]
    """Make no VirtualService. Default: `true`."""
    domainTemplate: NotRequired[str | None]
    """Template of host names, with .Name, .Namespace and .IngressDomain. Default: `{{ .Name }}.{{ .Namespace }}.{{
    .IngressDomain }}`."""
    enableGatewayAPI: NotRequired[bool | None]
    """Make an HTTPRoute instead of an Ingress. Default: `false`."""
    ingressClassName: NotRequired[str | None]
    """Class of Ingresses."""
    ingressDomain: NotRequired[str | None]
    """Domain of the services. Default: `example.com`."""
    ingressGateway: NotRequired[str | None]
    """Istio gateway for requests from outside. Default: `knative-serving/knative-ingress-gateway`."""
    ingressService: NotRequired[str | None]
    """Service of that gateway. Default: `istio-ingressgateway.istio-system.svc.cluster.local`."""
    knativeLocalGatewayService: NotRequired[str | None]
    """Service of Knative's gateway; localGatewayService by default."""
    localGateway: NotRequired[str | None]
    """Istio gateway for requests from the cluster. Default: `knative-serving/knative-local-gateway`."""
    localGatewayService: NotRequired[str | None]
    """Service of that gateway. Default: `knative-local-gateway.istio-system.svc.cluster.local`."""
    omeIngressGateway: NotRequired[str | None]
    """Gateway of the HTTPRoutes, as namespace/name."""
    pathTemplate: NotRequired[str | None]
    """Path of a service below ingressDomain; has no effect here."""
    urlScheme: NotRequired[str | None]
    """Scheme of the services' addresses; has no effect here. Default: `http`."""


class KedaConfig(TypedDict):
    """How KEDA scales a service by a Prometheus query."""

    authModes: NotRequired[str | None]
    """basic, tls, bearer or custom, or several separated by commas; needs authenticationRef."""
    authenticationRef: NotRequired[TriggerAuthentication]
    """Credentials for Prometheus."""
    customPromQuery: NotRequired[str | None]
    """The Prometheus query; %s stands for the component's name."""
    enableKeda: NotRequired[bool | None]
    """Not read by OME: the annotation ome.io/autoscalerClass decides."""
    promServerAddress: NotRequired[str | None]
    """Address of Prometheus, with http:// or https://."""
    scalingOperator: NotRequired[str | None]
    """GreaterThan, GreaterThanOrEqual, LessThan or LessThanOrEqual."""
    scalingThreshold: NotRequired[str | None]
    """The value that the query's result is compared with."""


class LeaderSpec(TypedDict):
    """LeaderSpec, as in its YAML."""

    activeDeadlineSeconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automountServiceAccountToken: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dnsConfig: NotRequired[Any | None]
    """DNS settings."""
    dnsPolicy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enableServiceLinks: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    hostIPC: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    hostNetwork: NotRequired[bool | None]
    """Share the node's network."""
    hostPID: NotRequired[bool | None]
    """Share the node's process namespace."""
    hostUsers: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostnameOverride: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    initContainers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    nodeName: NotRequired[str | None]
    """Bind the pod to this node."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemptionPolicy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readinessGates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    schedulerName: NotRequired[str | None]
    """Scheduler that places the pod."""
    schedulingGates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    schedulingGroup: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    securityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    serviceAccount: NotRequired[str | None]
    """Old name of serviceAccountName."""
    serviceAccountName: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: NotRequired[bool | None]
    """Use the full name as host name."""
    shareProcessNamespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topologySpreadConstraints: NotRequired[
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

    enableMetricAggregation: NotRequired[bool | None]
    """Whether metrics are aggregated, for services without the annotation. Default: `false`."""
    enablePrometheusScraping: NotRequired[bool | None]
    """Whether metrics are scraped, for services without the annotation. Default: `false`."""


class ModelConfig(TypedDict):
    """ModelConfig, as in its YAML."""

    inputModel: NotRequired[str | None]
    """The model that training starts from."""
    outputModel: NotRequired[StorageSpec]
    """Where the trained model is stored."""


class ModelInit(TypedDict):
    """The container that decrypts a model (annotation ome.io/inject-model-init)."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of the agent."""
    memoryRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `1Gi`."""
    memoryLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `1Gi`."""
    cpuRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `1`."""
    cpuLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `1`."""
    compartmentId: NotRequired[pulumi.Input[str] | None]
    """OCI compartment of the keys."""
    authType: NotRequired[str | None]
    """Authentication method of the agent. Default: `InstancePrincipal`."""
    vaultId: NotRequired[pulumi.Input[str] | None]
    """OCI vault of the keys."""
    region: NotRequired[pulumi.Input[str] | None]
    """OCI region."""


class ModelRef(TypedDict):
    """ModelRef, as in its YAML."""

    name: str
    """Name of the model."""
    kind: NotRequired[Literal["ClusterBaseModel", "BaseModel", "FineTunedWeight"] | None]
    """ClusterBaseModel by default."""
    apiGroup: NotRequired[str | None]
    """API group: ome.io."""
    fineTunedWeights: NotRequired[Sequence[str] | None]
    """Fine-tuned weights on top of the model."""


class MultiNodeProber(TypedDict):
    """The Deployment that watches a Ray cluster of several nodes."""

    image: NotRequired[pulumi.Input[str] | None]
    """Image of the prober; without it no prober is created."""
    memoryRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory request. Default: `100Mi`."""
    memoryLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """Memory limit. Default: `100Mi`."""
    cpuRequest: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU request. Default: `100m`."""
    cpuLimit: NotRequired[pulumi.Input[str | int | float] | None]
    """CPU limit. Default: `100m`."""
    startupFailureThreshold: NotRequired[int | None]
    """Number of failed startup probes after which the start has failed. Default: `150`."""
    startupPeriodSeconds: NotRequired[int | None]
    """Seconds between startup probes. Default: `30`."""
    startupTimeoutSeconds: NotRequired[int | None]
    """Seconds until a startup probe times out. Default: `60`."""
    startupInitialDelaySeconds: NotRequired[int | None]
    """Seconds until the first startup probe. Default: `200`."""
    unavailableThresholdSeconds: NotRequired[int | None]
    """How long a cluster may be unavailable; not used here. Default: `1800`."""


class OMESettings(TypedDict):
    """OMESettings, as in its YAML."""

    profile: NotRequired[Literal["document", "upstream"] | None]
    """document: the documented keys take effect. upstream: only what OME's controllers read takes effect. Default:
    `document`."""
    customKeys: NotRequired[Mapping[str, str] | None]
    """A team's own keys in OME's domains, each with its meaning. They are not reported as unknown."""
    podMonitors: NotRequired[bool | None]
    """Make a PodMonitor for services with monitoring.ome.io/scrape. Default: `false`."""
    profiles: NotRequired[Mapping[str, ClusterProfile] | None]
    """Hardware profiles by name."""
    ignoreUnknown: NotRequired[bool | None]
    """Warn about unknown fields instead of rejecting them. Default: `false`."""
    version: NotRequired[str | None]
    """Release whose conventions the rendered objects follow: the label ome.io/version. Default: `v0.8.0`."""
    standardLabels: NotRequired[bool | None]
    """Put the documented labels (ome.io/part-of, serving.ome.io/component, …) on all objects of a service. Default:
    `false`."""
    modelNodeSelector: NotRequired[bool | None]
    """Select nodes that OME's model agent has labelled as having the model. Turn it off if no agent runs. Default:
    `true`."""
    additionalHosts: NotRequired[bool | None]
    """Serve the additional ingress domains, which OME's controllers leave out. Default: `false`."""
    startup: NotRequired[kubernetes.StartupSettings]
    """How long pods may take to start."""
    deploy: NotRequired[Deploy]
    """Default deployment mode."""
    ingress: NotRequired[Ingress]
    """Ingress of services."""
    metricsAggregator: NotRequired[MetricsAggregator]
    """Defaults for metrics."""
    modelInit: NotRequired[ModelInit]
    """The model-init container."""
    multinodeProber: NotRequired[MultiNodeProber]
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
    envFrom: NotRequired[Sequence[kubernetes.EnvFromSource | k8s_core_v1.EnvFromSourceArgs] | None]
    """Environment variables from ConfigMaps and Secrets."""
    volumeMounts: NotRequired[Sequence[kubernetes.VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Additional volume mounts."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources, merged over the platform's."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Tolerations instead of the one for GPU nodes."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
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
    envFrom: NotRequired[Sequence[kubernetes.EnvFromSource | k8s_core_v1.EnvFromSourceArgs] | None]
    """Environment variables from all keys of ConfigMaps and Secrets."""
    image: NotRequired[pulumi.Input[str] | None]
    """Container image."""
    imagePullPolicy: NotRequired[Literal["Always", "IfNotPresent", "Never"] | None]
    """When the image is pulled."""
    lifecycle: NotRequired[kubernetes.Lifecycle | k8s_core_v1.LifecycleArgs]
    """What to do after start and before stop."""
    livenessProbe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Restarts the container when it fails."""
    name: NotRequired[str | None]
    """Name of the container."""
    ports: NotRequired[Sequence[kubernetes.ContainerPort | k8s_core_v1.ContainerPortArgs] | None]
    """Ports of the container."""
    readinessProbe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Takes the pod out of Services when it fails."""
    resizePolicy: NotRequired[Sequence[kubernetes.ResizePolicy] | None]
    """What resizing a resource does to the container."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """What the container needs and may use."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """Always makes an init container a sidecar."""
    restartPolicyRules: NotRequired[Sequence[Any] | None]
    """Restart rules by exit code."""
    securityContext: NotRequired[kubernetes.SecurityContext | k8s_core_v1.SecurityContextArgs]
    """Security settings."""
    startupProbe: NotRequired[kubernetes.Probe | k8s_core_v1.ProbeArgs]
    """Holds the other probes back until the container has started."""
    stdin: NotRequired[bool | None]
    """Keep stdin open."""
    stdinOnce: NotRequired[bool | None]
    """Close stdin after the first attach."""
    terminationMessagePath: NotRequired[str | None]
    """File with the container's last words."""
    terminationMessagePolicy: NotRequired[Literal["File", "FallbackToLogsOnError"] | None]
    """Whether the log counts when that file is empty."""
    tty: NotRequired[bool | None]
    """Allocate a terminal."""
    volumeDevices: NotRequired[Sequence[kubernetes.VolumeDevice | k8s_core_v1.VolumeDeviceArgs] | None]
    """Block devices."""
    volumeMounts: NotRequired[Sequence[kubernetes.VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Where volumes are mounted."""
    workingDir: NotRequired[str | None]
    """Working directory."""
    baseModel: NotRequired[str | None]
    """Name of the model."""
    fineTunedWeights: NotRequired[Sequence[str] | None]
    """Fine-tuned weights on top of the model."""
    runtime: NotRequired[str | None]
    """Name of the runtime; without one a fitting runtime is chosen."""
    storageUri: NotRequired[pulumi.Input[str] | None]
    """Handed to the server as the variable STORAGE_URI."""
    protocolVersion: NotRequired[str | None]
    """Handed to the server as the variable PROTOCOL_VERSION."""
    runtimeVersion: NotRequired[str | None]
    """Version of the runtime's image; has no effect, as in OME."""


class PredictorSpec(TypedDict):
    """PredictorSpec, as in its YAML."""

    activeDeadlineSeconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automountServiceAccountToken: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dnsConfig: NotRequired[Any | None]
    """DNS settings."""
    dnsPolicy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enableServiceLinks: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    hostIPC: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    hostNetwork: NotRequired[bool | None]
    """Share the node's network."""
    hostPID: NotRequired[bool | None]
    """Share the node's process namespace."""
    hostUsers: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostnameOverride: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    initContainers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    nodeName: NotRequired[str | None]
    """Bind the pod to this node."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemptionPolicy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readinessGates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    schedulerName: NotRequired[str | None]
    """Scheduler that places the pod."""
    schedulingGates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    schedulingGroup: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    securityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    serviceAccount: NotRequired[str | None]
    """Old name of serviceAccountName."""
    serviceAccountName: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: NotRequired[bool | None]
    """Use the full name as host name."""
    shareProcessNamespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topologySpreadConstraints: NotRequired[
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
    minReplicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    maxReplicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    minAvailable: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    maxUnavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scaleMetric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scaleTarget: NotRequired[int | None]
    """Target value of the metric."""
    containerConcurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeoutSeconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canaryTrafficPercent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deploymentStrategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    kedaConfig: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    model: NotRequired[PredictorModel]
    """The model and its runtime."""
    workerSpec: NotRequired[WorkerSpec]
    """Workers, when the model spans several nodes."""


class RollingUpdate(TypedDict):
    """RollingUpdate, as in its YAML."""

    maxSurge: NotRequired[int | str | None]
    """Maximum additional pods during an update (number or percentage)."""
    maxUnavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during an update (number or percentage)."""


class RouterSpec(TypedDict):
    """RouterSpec, as in its YAML."""

    activeDeadlineSeconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automountServiceAccountToken: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dnsConfig: NotRequired[Any | None]
    """DNS settings."""
    dnsPolicy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enableServiceLinks: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    hostIPC: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    hostNetwork: NotRequired[bool | None]
    """Share the node's network."""
    hostPID: NotRequired[bool | None]
    """Share the node's process namespace."""
    hostUsers: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostnameOverride: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    initContainers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    nodeName: NotRequired[str | None]
    """Bind the pod to this node."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemptionPolicy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readinessGates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    schedulerName: NotRequired[str | None]
    """Scheduler that places the pod."""
    schedulingGates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    schedulingGroup: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    securityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    serviceAccount: NotRequired[str | None]
    """Old name of serviceAccountName."""
    serviceAccountName: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: NotRequired[bool | None]
    """Use the full name as host name."""
    shareProcessNamespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topologySpreadConstraints: NotRequired[
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
    minReplicas: NotRequired[int | None]
    """Minimum number of replicas, 1 by default; 0 scales to zero."""
    maxReplicas: NotRequired[int | None]
    """Maximum number of replicas; 3 by default, 2 for a router."""
    minAvailable: NotRequired[int | str | None]
    """Minimum available pods during evictions (number or percentage)."""
    maxUnavailable: NotRequired[int | str | None]
    """Maximum unavailable pods during evictions (number or percentage); 1 by default."""
    scaleMetric: NotRequired[Literal["cpu", "memory", "concurrency", "rps"] | None]
    """Metric that the autoscaler watches; cpu by default."""
    scaleTarget: NotRequired[int | None]
    """Target value of the metric."""
    containerConcurrency: NotRequired[int | None]
    """Maximum number of concurrent requests in one pod (Knative)."""
    timeoutSeconds: NotRequired[int | None]
    """Maximum duration of a request, in seconds."""
    canaryTrafficPercent: NotRequired[int | None]
    """Percentage of requests for the newest revision (Knative); has no effect here."""
    deploymentStrategy: NotRequired[DeploymentStrategy]
    """How pods are replaced."""
    kedaConfig: NotRequired[KedaConfig]
    """KEDA settings of this component."""
    config: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Settings of the router's framework, as environment variables of its runner."""


class RuntimeRef(TypedDict):
    """RuntimeRef, as in its YAML."""

    name: str
    """Name of the runtime."""
    kind: NotRequired[Literal["ClusterServingRuntime", "ServingRuntime"] | None]
    """ClusterServingRuntime by default."""
    apiGroup: NotRequired[str | None]
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
    gpuType: Literal["H100", "A100", "MI300", "A10", "A100-80G", "A100-40G", "H200", "B200", "RTX-PRO-6000"]
    """GPU of the service; A100 is recorded as A100-80G."""
    gpuCount: int
    """Number of GPUs."""


class StorageSpec(TypedDict):
    """Storage location of a model, a data set or results."""

    path: NotRequired[str | None]
    """Absolute path of a model on the node."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Access settings of the storage: region, auth, profile, …"""
    key: NotRequired[str | None]
    """Key of the Secret with credentials."""
    storageUri: NotRequired[str | None]
    """oci://n/<namespace>/b/<bucket>/o/<path>, pvc://<claim>/<path>, s3://<bucket>[@<region>]/<path>, hf://…, …"""
    schemaPath: NotRequired[str | None]
    """Path of the schema file."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the nodes that store the model."""
    downloadPolicy: NotRequired[Literal["AlwaysDownload", "ReuseIfExists"] | None]
    """Whether OME's model agent downloads again what a node already has. Only the agent reads this field."""
    nodeAffinity: NotRequired[Any | None]
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
    numNodes: NotRequired[int | None]
    """Number of nodes, 1 by default."""
    numProcPerNode: NotRequired[str | None]
    """Processes on each node: auto, cpu, gpu or a number."""
    resourcesPerNode: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of each node's container."""


class Training(TypedDict):
    """Training, as in its YAML."""

    backend: NotRequired[Literal["JobSet", "Job", "TrainJob"] | None]
    """What a TrainingJob becomes: a JobSet, an Indexed Job, or Kubeflow's TrainJob. Default: `JobSet`."""
    image: NotRequired[pulumi.Input[str] | None]
    """Default image of trainers."""
    sshSecret: NotRequired[str | None]
    """Secret with the SSH keys with which an MPI launcher reaches its workers."""
    maxRestarts: NotRequired[int | None]
    """Maximum number of restarts of a failed JobSet (or of failed pods of a Job). Default: `3`."""
    ttlSecondsAfterFinished: NotRequired[int | None]
    """Seconds after which a finished job is deleted; kept by default."""
    queueLabel: NotRequired[str | None]
    """Label that gets the queue that infrastructure.ome.io/cluster names. Default: `kueue.x-k8s.io/queue-name`."""


class TrainingJobSpec(TypedDict):
    """TrainingJobSpec, as in its YAML."""

    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations of the derived objects and pods."""
    compartmentID: NotRequired[str | None]
    """OCI compartment."""
    datasets: NotRequired[Sequence[DataSet] | None]
    """Data to train on."""
    hyperParameterTuningConfig: NotRequired[Tuning]
    """Search for hyperparameters; passed to the trainer as JSON."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels of the derived objects and pods."""
    modelConfig: NotRequired[ModelConfig]
    """Input and output models."""
    runtimeRef: NotRequired[TrainingRuntimeRef]
    """Runtime of a TrainJob; the other backends need none."""
    suspend: NotRequired[bool | None]
    """Start suspended."""
    trainer: NotRequired[Trainer]
    """The training container."""


class TrainingRuntimeRef(TypedDict):
    """TrainingRuntimeRef, as in its YAML."""

    apiGroup: NotRequired[str | None]
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
    maxTrials: NotRequired[int | None]
    """Maximum number of trials."""
    metric: Metric
    """Metric to optimize."""
    parameters: NotRequired[Any | None]
    """The parameters and their ranges."""


class WorkerSpec(TypedDict):
    """WorkerSpec, as in its YAML."""

    activeDeadlineSeconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automountServiceAccountToken: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers; main is the model server."""
    dnsConfig: NotRequired[Any | None]
    """DNS settings."""
    dnsPolicy: NotRequired[Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None]
    """How names are resolved."""
    enableServiceLinks: NotRequired[bool | None]
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: NotRequired[Sequence[Any] | None]
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: NotRequired[Sequence[Any] | None]
    """Lines of /etc/hosts."""
    hostIPC: NotRequired[bool | None]
    """Share the node's IPC namespace."""
    hostNetwork: NotRequired[bool | None]
    """Share the node's network."""
    hostPID: NotRequired[bool | None]
    """Share the node's process namespace."""
    hostUsers: NotRequired[bool | None]
    """Share the node's user namespace."""
    hostname: NotRequired[str | None]
    """Host name of the pod."""
    hostnameOverride: NotRequired[str | None]
    """Host name as the pod itself sees it."""
    imagePullSecrets: NotRequired[
        Sequence[kubernetes.LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None
    ]
    """Secrets with registry credentials."""
    initContainers: NotRequired[Sequence[kubernetes.Container | k8s_core_v1.ContainerArgs] | None]
    """Containers that run before the others."""
    nodeName: NotRequired[str | None]
    """Bind the pod to this node."""
    nodeSelector: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Node labels that are required."""
    os: NotRequired[Any | None]
    """Operating system of the pod."""
    overhead: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the runtime class itself needs."""
    preemptionPolicy: NotRequired[Literal["PreemptLowerPriority", "Never"] | None]
    """Whether the pod may evict others."""
    priority: NotRequired[int | None]
    """Set by the API server from the class."""
    priorityClassName: NotRequired[pulumi.Input[str] | None]
    """Priority class."""
    readinessGates: NotRequired[Sequence[Any] | None]
    """Further conditions of readiness."""
    resourceClaims: NotRequired[Sequence[kubernetes.PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[kubernetes.ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Resources of the pod as a whole."""
    restartPolicy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """When containers are restarted."""
    runtimeClassName: NotRequired[pulumi.Input[str] | None]
    """Runtime class."""
    schedulerName: NotRequired[str | None]
    """Scheduler that places the pod."""
    schedulingGates: NotRequired[Sequence[Any] | None]
    """Gates that hold scheduling back."""
    schedulingGroup: NotRequired[Any | None]
    """Group of pods that are scheduled together."""
    securityContext: NotRequired[kubernetes.PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
    """Security settings of the pod."""
    serviceAccount: NotRequired[str | None]
    """Old name of serviceAccountName."""
    serviceAccountName: NotRequired[str | None]
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: NotRequired[bool | None]
    """Use the full name as host name."""
    shareProcessNamespace: NotRequired[bool | None]
    """Containers see each other's processes."""
    subdomain: NotRequired[str | None]
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: NotRequired[int | None]
    """Seconds between the signal to stop and the kill."""
    tolerations: NotRequired[Sequence[kubernetes.Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topologySpreadConstraints: NotRequired[
        Sequence[kubernetes.TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[kubernetes.Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""
    runner: NotRequired[kubernetes.Container | k8s_core_v1.ContainerArgs]
    """Main container of the workers."""
    size: NotRequired[int | None]
    """Number of workers of each leader."""
