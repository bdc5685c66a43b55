"""Generated from the models by `make generate`: kubernetes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import pulumi

if TYPE_CHECKING:
    import pulumi_kubernetes.core.v1 as k8s_core_v1


class AppArmorProfile(TypedDict):
    """AppArmorProfile, as in its YAML."""

    localhost_profile: NotRequired[str | None]
    """A profile loaded on the node, for type Localhost."""
    type: Literal["Localhost", "RuntimeDefault", "Unconfined"]
    """Which kind of profile."""


class Capabilities(TypedDict):
    """Capabilities, as in its YAML."""

    add: NotRequired[Sequence[str] | None]
    """Added capabilities."""
    drop: NotRequired[Sequence[str] | None]
    """Removed capabilities."""


class Container(TypedDict):
    """Container, as in its YAML."""

    args: NotRequired[Sequence[pulumi.Input[str]] | None]
    """Arguments of the command."""
    command: NotRequired[Sequence[pulumi.Input[str]] | None]
    """The command, run without a shell."""
    env: NotRequired[Sequence[EnvVar | k8s_core_v1.EnvVarArgs] | None]
    """Environment variables."""
    env_from: NotRequired[Sequence[EnvFromSource | k8s_core_v1.EnvFromSourceArgs] | None]
    """Environment variables from all keys of ConfigMaps and Secrets."""
    image: NotRequired[pulumi.Input[str] | None]
    """Container image."""
    image_pull_policy: NotRequired[Literal["Always", "IfNotPresent", "Never"] | None]
    """When the image is pulled."""
    lifecycle: NotRequired[Lifecycle | k8s_core_v1.LifecycleArgs]
    """What to do after start and before stop."""
    liveness_probe: NotRequired[Probe | k8s_core_v1.ProbeArgs]
    """Restarts the container when it fails."""
    name: str
    """Name of the container; main is the model server."""
    ports: NotRequired[Sequence[ContainerPort | k8s_core_v1.ContainerPortArgs] | None]
    """Ports of the container."""
    readiness_probe: NotRequired[Probe | k8s_core_v1.ProbeArgs]
    """Takes the pod out of Services when it fails."""
    resize_policy: NotRequired[Sequence[ResizePolicy] | None]
    """What resizing a resource does to the container."""
    resources: NotRequired[ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """What the container needs and may use."""
    restart_policy: NotRequired[Literal["Always", "Never", "OnFailure"] | None]
    """Always makes an init container a sidecar."""
    restart_policy_rules: NotRequired[Sequence[Any] | None]
    """Restart rules by exit code."""
    security_context: NotRequired[SecurityContext | k8s_core_v1.SecurityContextArgs]
    """Security settings."""
    startup_probe: NotRequired[Probe | k8s_core_v1.ProbeArgs]
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
    volume_devices: NotRequired[Sequence[VolumeDevice | k8s_core_v1.VolumeDeviceArgs] | None]
    """Block devices."""
    volume_mounts: NotRequired[Sequence[VolumeMount | k8s_core_v1.VolumeMountArgs] | None]
    """Where volumes are mounted."""
    working_dir: NotRequired[str | None]
    """Working directory."""


class ContainerPort(TypedDict):
    """ContainerPort, as in its YAML."""

    container_port: int
    """Port on the pod's address."""
    host_ip: NotRequired[str | None]
    """Host address to bind."""
    host_port: NotRequired[int | None]
    """Port on the host."""
    name: NotRequired[str | None]
    """Name that Services and probes refer to."""
    protocol: NotRequired[Literal["TCP", "UDP", "SCTP"] | None]
    """TCP by default."""


class DataLayer(TypedDict):
    """Sources of the picker's data about endpoints. Both API versions have this section, under different names."""

    inject_defaults: NotRequired[bool | None]
    """Whether the default metrics source is added; true by default."""
    sources: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Data sources, each with a pluginRef and extractors."""
    discovery: NotRequired[Mapping[str, Any] | None]
    """Plugin that finds the endpoints in place of Kubernetes."""
    peer_discovery: NotRequired[Mapping[str, Any] | None]
    """Plugin that finds the other replicas of the picker."""
    cross_replica_syncer_plugin_ref: NotRequired[str | None]
    """Plugin that shares state between replicas."""
    cross_replica_sync_interval: NotRequired[str | None]
    """Interval at which state is shared."""


class DrainSettings(TypedDict):
    """DrainSettings, as in its YAML."""

    pre_stop_seconds: NotRequired[int | None]
    """Seconds that a server at least keeps serving before it is told to stop, until it no longer receives requests. 0
    leaves the pods as their operators create them. Default: `15`."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Seconds that a pod may take to stop, including preStopSeconds. Answers that take longer are cut off. Default:
    `60`."""


class EndpointPickerConfig(TypedDict):
    """The config file of an endpoint picker."""

    api_version: NotRequired[Literal["inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"] | None]
    """Version of the file format; by default, the version that the picker's default image reads."""
    kind: NotRequired[Literal["EndpointPickerConfig"] | None]
    """Always EndpointPickerConfig. Default: `EndpointPickerConfig`."""
    feature_gates: NotRequired[Sequence[str] | None]
    """Experimental features to turn on."""
    plugins: Sequence[Plugin]
    """The plugins that profiles and other sections refer to."""
    scheduling_profiles: Sequence[SchedulingProfile]
    """The scheduling profiles."""
    saturation_detector: NotRequired[Mapping[str, Any] | None]
    """When an endpoint is saturated: thresholds, or a pluginRef in later versions."""
    data: NotRequired[DataLayer]
    """The data layer, as inference.networking.x-k8s.io/v1alpha1 calls it."""
    data_layer: NotRequired[DataLayer]
    """The data layer, as llm-d.ai/v1alpha1 calls it."""
    flow_control: NotRequired[FlowControl]
    """Queueing of requests."""
    parser: NotRequired[Mapping[str, Any] | None]
    """Plugin that parses requests."""
    request_handler: NotRequired[Mapping[str, Any] | None]
    """Plugins that parse requests, in later versions."""
    discovery: NotRequired[Mapping[str, Any] | None]
    """Plugin that finds the endpoints in place of Kubernetes, in some versions of llm-d."""


class EndpointPickerOptions(TypedDict):
    """Settings of an endpoint picker, except for its name, namespace and pool."""

    pool_group: NotRequired[Literal["inference.networking.k8s.io", "inference.networking.x-k8s.io"] | None]
    """API group of the pool. Default: `inference.networking.k8s.io`."""
    image: NotRequired[pulumi.Input[str] | None]
    """Container image. Default: `ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0`."""
    replicas: NotRequired[int | None]
    """Number of pods. If there are several, they elect a leader, and only the leader is ready. Default: `1`."""
    port: NotRequired[int | None]
    """Port on which gateways ask for an endpoint. Default: `9002`."""
    failure_mode: NotRequired[Literal["FailOpen", "FailClose"] | None]
    """What a gateway does if the picker doesn't answer: choose an endpoint itself, or refuse the request. Default:
    `FailClose`."""
    resources: NotRequired[ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
    """Limits and requests. If both are empty, the container requests 4 CPUs and 8Gi, and may use at most 16Gi."""
    image_pull_secrets: NotRequired[Sequence[LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None]
    """Secrets for pulling the image."""
    provider: NotRequired[Literal["istio", "gke", "none"] | None]
    """Provider of the gateway: istio gets a DestinationRule, gke scrapes metrics without a token. Default: `istio`."""
    metrics_endpoint_auth: NotRequired[bool | None]
    """Whether reading the metrics requires a token. Default: `true`."""
    metrics_reader: NotRequired[bool | None]
    """Whether to create what authenticated metrics need: ClusterRole, its binding and token Secret (not for gke).
    Default: `true`."""
    flags: NotRequired[Mapping[str, str] | None]
    """Further command-line flags; the names have no leading dashes."""
    tracing: NotRequired[TracingSettings]
    """Tracing of the picker."""
    prefill: NotRequired[bool | None]
    """Whether the pool has prefill pods besides decode pods; selects the built-in plugins. Default: `false`."""
    plugins_config: NotRequired[EndpointPickerConfig]
    """Plugins and scheduling profiles that replace the built-in ones."""
    config_api_version: NotRequired[Literal["inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"] | None]
    """apiVersion of the config file that the image reads. Default: `inference.networking.x-k8s.io/v1alpha1`."""
    monitoring: NotRequired[bool | None]
    """Whether to create a ServiceMonitor for the picker's metrics. Default: `false`."""
    version: NotRequired[str | None]
    """Value of the app.kubernetes.io/version label; empty leaves the label out."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Further labels of all objects and the pods."""


class EnvFromSource(TypedDict):
    """EnvFromSource, as in its YAML."""

    prefix: NotRequired[str | None]
    """Put in front of each key."""
    config_map_ref: NotRequired[KeyedReference]
    """A ConfigMap, all keys."""
    secret_ref: NotRequired[KeyedReference]
    """A Secret, all keys."""


class EnvVar(TypedDict):
    """EnvVar, as in its YAML."""

    name: str
    """Name of the variable."""
    value: NotRequired[pulumi.Input[str] | None]
    """Its value; $(NAME) refers to a variable defined before."""
    value_from: NotRequired[EnvVarSource | k8s_core_v1.EnvVarSourceArgs]
    """Where the value comes from; not together with a value."""


class EnvVarSource(TypedDict):
    """EnvVarSource, as in its YAML."""

    config_map_key_ref: NotRequired[KeySelector]
    """A key of a ConfigMap."""
    field_ref: NotRequired[FieldRef]
    """A field of the pod."""
    file_key_ref: NotRequired[FileKeyRef]
    """A key of an env file in a volume."""
    resource_field_ref: NotRequired[ResourceFieldRef]
    """A resource of the container."""
    secret_key_ref: NotRequired[KeySelector]
    """A key of a Secret."""


class ExecAction(TypedDict):
    """ExecAction, as in its YAML."""

    command: NotRequired[Sequence[str] | None]
    """Command line, run without a shell."""


class FieldRef(TypedDict):
    """FieldRef, as in its YAML."""

    api_version: NotRequired[str | None]
    """Version of the schema that fieldPath is written in, v1 by default."""
    field_path: str
    """Path of a pod field: metadata.name, metadata.namespace, metadata.labels['KEY'], status.podIP, …"""


class FileKeyRef(TypedDict):
    """FileKeyRef, as in its YAML."""

    key: str
    """Key within the env file."""
    optional: NotRequired[bool | None]
    """Whether the file or its key may be missing. Default: `false`."""
    path: str
    """Relative path of the file in the volume."""
    volume_name: str
    """Name of the mounted volume that has the file."""


class FlowControl(TypedDict):
    """Queueing of requests while endpoints are saturated; requires the flowControl feature gate."""

    max_bytes: NotRequired[pulumi.Input[str | int | float] | None]
    """Maximum total size of the queued requests, in bytes."""
    max_requests: NotRequired[pulumi.Input[str | int | float] | None]
    """Maximum number of queued requests."""
    default_request_ttl: NotRequired[str | None]
    """How long a request may wait for a saturated endpoint."""
    no_endpoint_request_ttl: NotRequired[str | None]
    """How long a request may wait while there is no endpoint."""
    enable_eviction: NotRequired[bool | None]
    """Whether queued requests are evicted in favor of more important ones."""
    saturation_detector: NotRequired[Mapping[str, Any] | None]
    """Plugin that detects saturated endpoints."""
    default_priority_band: NotRequired[Mapping[str, Any] | None]
    """Limits for priorities without a band."""
    priority_bands: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Limits for each priority."""
    usage_limit_policy_plugin_ref: NotRequired[str | None]
    """Plugin that adapts the limits."""


class GRPCAction(TypedDict):
    """GRPCAction, as in its YAML."""

    port: int
    """Port of the gRPC service."""
    service: NotRequired[str | None]
    """Service name in the health request."""


class HTTPGetAction(TypedDict):
    """HTTPGetAction, as in its YAML."""

    host: NotRequired[str | None]
    """Host to connect to, the pod's address by default."""
    http_headers: NotRequired[Sequence[HTTPHeader | k8s_core_v1.HTTPHeaderArgs] | None]
    """Request headers."""
    path: NotRequired[str | None]
    """Path on the server."""
    port: int | str
    """Number or name of the container port."""
    scheme: NotRequired[Literal["HTTP", "HTTPS"] | None]
    """HTTP by default."""


class HTTPHeader(TypedDict):
    """HTTPHeader, as in its YAML."""

    name: str
    """Header name."""
    value: pulumi.Input[str]
    """Header value."""


class Images(TypedDict):
    """Where the images of all services come from, whether a manifest, a runtime, a setting or this program names them.
    Objects that are passed through keep their images."""

    mirror: NotRequired[str | None]
    """Mirror of all registries: `ghcr.io/team/x:1` becomes `<mirror>/ghcr.io/team/x:1`, and `x:1` becomes
    `<mirror>/docker.io/library/x:1`. Images in the mirror's own registry stay as they are."""
    mirrors: NotRequired[Mapping[str, str] | None]
    """Mirrors of single registries, or of repositories below one. With `docker.io: registry.example.com/hub`,
    `vllm/vllm-openai:v1` becomes `registry.example.com/hub/vllm/vllm-openai:v1`. The longest match takes precedence,
    and all of them take precedence over `mirror`."""
    digests: NotRequired[Mapping[str, str] | None]
    """Digests by the image's name before mirroring (`vllm/vllm-openai:v0.25.1`). An image that already has a digest
    keeps it."""


class KeySelector(TypedDict):
    """A key of a ConfigMap or Secret in the pod's namespace."""

    key: str
    """The key to select."""
    name: NotRequired[pulumi.Input[str] | None]
    """Name of the ConfigMap or Secret."""
    optional: NotRequired[bool | None]
    """Whether the object or its key may be missing."""


class KeyedReference(TypedDict):
    """KeyedReference, as in its YAML."""

    name: NotRequired[pulumi.Input[str] | None]
    """Name of the ConfigMap or Secret."""
    optional: NotRequired[bool | None]
    """Whether it may be missing."""


class Lifecycle(TypedDict):
    """Lifecycle, as in its YAML."""

    post_start: NotRequired[LifecycleHandler | k8s_core_v1.LifecycleHandlerArgs]
    """Right after the container was created."""
    pre_stop: NotRequired[LifecycleHandler | k8s_core_v1.LifecycleHandlerArgs]
    """Before the container is stopped."""
    stop_signal: NotRequired[str | None]
    """Signal that stops the container; the pod's os must be set."""


class LifecycleHandler(TypedDict):
    """LifecycleHandler, as in its YAML."""

    exec: NotRequired[ExecAction | k8s_core_v1.ExecActionArgs]
    """Run a command in the container."""
    http_get: NotRequired[HTTPGetAction | k8s_core_v1.HTTPGetActionArgs]
    """Send an HTTP GET."""
    sleep: NotRequired[SleepAction | k8s_core_v1.SleepActionArgs]
    """Wait."""
    tcp_socket: NotRequired[TCPSocketAction | k8s_core_v1.TCPSocketActionArgs]
    """Deprecated; kept by the API for old objects."""


class LocalObjectReference(TypedDict):
    """LocalObjectReference, as in its YAML."""

    name: NotRequired[pulumi.Input[str] | None]
    """Name of an object in the same namespace."""


class Plugin(TypedDict):
    """A plugin that the picker creates."""

    name: NotRequired[str | None]
    """Name that references use; the plugin's type by default."""
    type: str
    """Type of the plugin: queue-scorer, prefix-cache-scorer, decode-filter, …"""
    parameters: NotRequired[Mapping[str, Any] | None]
    """Settings of the plugin."""


class PodResourceClaim(TypedDict):
    """PodResourceClaim, as in its YAML."""

    name: str
    """Name that containers refer to."""
    resource_claim_name: NotRequired[str | None]
    """An existing claim."""
    resource_claim_template_name: NotRequired[str | None]
    """A template; each pod gets its own claim."""


class PodSecurityContext(TypedDict):
    """PodSecurityContext, as in its YAML."""

    app_armor_profile: NotRequired[AppArmorProfile | k8s_core_v1.AppArmorProfileArgs]
    """AppArmor profile of the pod's containers."""
    fs_group: NotRequired[int | None]
    """Group that owns the pod's volumes."""
    fs_group_change_policy: NotRequired[Literal["OnRootMismatch", "Always"] | None]
    """When the ownership of a volume is changed."""
    run_as_group: NotRequired[int | None]
    """Group id of the entrypoint."""
    run_as_non_root: NotRequired[bool | None]
    """Refuse to run as uid 0."""
    run_as_user: NotRequired[int | None]
    """User id of the entrypoint."""
    se_linux_change_policy: NotRequired[Literal["MountOption", "Recursive"] | None]
    """How SELinux labels reach the volumes."""
    se_linux_options: NotRequired[SELinuxOptions | k8s_core_v1.SELinuxOptionsArgs]
    """SELinux context."""
    seccomp_profile: NotRequired[SeccompProfile | k8s_core_v1.SeccompProfileArgs]
    """Seccomp profile."""
    supplemental_groups: NotRequired[Sequence[int] | None]
    """Further groups of the first process."""
    supplemental_groups_policy: NotRequired[Literal["Merge", "Strict"] | None]
    """Whether the image's own groups count too."""
    sysctls: NotRequired[Sequence[Sysctl | k8s_core_v1.SysctlArgs] | None]
    """Namespaced kernel parameters."""
    windows_options: NotRequired[WindowsOptions]
    """Windows settings."""


class PodSpec(TypedDict):
    """PodSpec, as in its YAML."""

    active_deadline_seconds: NotRequired[int | None]
    """How long the pod may run."""
    affinity: NotRequired[Any | None]
    """Where the pod may or should be placed."""
    automount_service_account_token: NotRequired[bool | None]
    """Whether the service account's token is mounted."""
    containers: NotRequired[Sequence[Container | k8s_core_v1.ContainerArgs] | None]
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
    image_pull_secrets: NotRequired[Sequence[LocalObjectReference | k8s_core_v1.LocalObjectReferenceArgs] | None]
    """Secrets with registry credentials."""
    init_containers: NotRequired[Sequence[Container | k8s_core_v1.ContainerArgs] | None]
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
    resource_claims: NotRequired[Sequence[PodResourceClaim | k8s_core_v1.PodResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""
    resources: NotRequired[ResourceRequirements | k8s_core_v1.ResourceRequirementsArgs]
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
    security_context: NotRequired[PodSecurityContext | k8s_core_v1.PodSecurityContextArgs]
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
    tolerations: NotRequired[Sequence[Toleration | k8s_core_v1.TolerationArgs] | None]
    """Taints that the pod tolerates."""
    topology_spread_constraints: NotRequired[
        Sequence[TopologySpreadConstraint | k8s_core_v1.TopologySpreadConstraintArgs] | None
    ]
    """How pods spread over the nodes."""
    volumes: NotRequired[Sequence[Volume | k8s_core_v1.VolumeArgs] | None]
    """Volumes of the pod."""


class Probe(TypedDict):
    """Probe, as in its YAML."""

    exec: NotRequired[ExecAction | k8s_core_v1.ExecActionArgs]
    """Run a command in the container."""
    failure_threshold: NotRequired[int | None]
    """Failures in a row that count as failed; 3 by default."""
    grpc: NotRequired[GRPCAction | k8s_core_v1.GRPCActionArgs]
    """Ask a gRPC health service."""
    http_get: NotRequired[HTTPGetAction | k8s_core_v1.HTTPGetActionArgs]
    """Send an HTTP GET."""
    initial_delay_seconds: NotRequired[int | None]
    """Seconds from the container's start to the first probe."""
    period_seconds: NotRequired[int | None]
    """Seconds between probes; 10 by default."""
    success_threshold: NotRequired[int | None]
    """Successes in a row that count as recovered; 1 by default."""
    tcp_socket: NotRequired[TCPSocketAction | k8s_core_v1.TCPSocketActionArgs]
    """Open a TCP connection."""
    termination_grace_period_seconds: NotRequired[int | None]
    """Grace period after a failed probe, in seconds."""
    timeout_seconds: NotRequired[int | None]
    """Seconds until a probe times out; 1 by default."""


class ProfilePlugin(TypedDict):
    """A plugin's part in a scheduling profile."""

    plugin_ref: str
    """Name of an entry of the config's plugins."""
    weight: NotRequired[float | None]
    """Weight of a scorer's result."""


class ResizePolicy(TypedDict):
    """ResizePolicy, as in its YAML."""

    resource_name: str
    """cpu or memory."""
    restart_policy: Literal["NotRequired", "RestartContainer"]
    """Whether the container restarts when the resource is resized."""


class ResourceClaim(TypedDict):
    """ResourceClaim, as in its YAML."""

    name: str
    """An entry of the pod's resourceClaims."""
    request: NotRequired[str | None]
    """One request of that claim; all of them by default."""


class ResourceFieldRef(TypedDict):
    """ResourceFieldRef, as in its YAML."""

    container_name: NotRequired[str | None]
    """The container; in an environment variable its own by default."""
    divisor: NotRequired[pulumi.Input[str | int | float] | None]
    """Unit of the exposed value, 1 by default."""
    resource: str
    """limits.cpu, limits.memory, requests.cpu, …"""


class ResourceRequirements(TypedDict):
    """ResourceRequirements, as in its YAML."""

    limits: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """The most that the container may use."""
    requests: NotRequired[Mapping[str, pulumi.Input[str | int | float]] | None]
    """What the scheduler sets aside."""
    claims: NotRequired[Sequence[ResourceClaim | k8s_core_v1.ResourceClaimArgs] | None]
    """Dynamic resource allocation claims."""


class SELinuxOptions(TypedDict):
    """SELinuxOptions, as in its YAML."""

    level: NotRequired[str | None]
    """SELinux level label."""
    role: NotRequired[str | None]
    """SELinux role label."""
    type: NotRequired[str | None]
    """SELinux type label."""
    user: NotRequired[str | None]
    """SELinux user label."""


class SchedulingProfile(TypedDict):
    """A way to choose an endpoint: filters, weighted scorers, a picker."""

    name: str
    """Name of the profile. The profile handler treats the names prefill and decode specially."""
    plugins: Sequence[ProfilePlugin]
    """Plugins of the profile."""


class SeccompProfile(TypedDict):
    """SeccompProfile, as in its YAML."""

    localhost_profile: NotRequired[str | None]
    """A profile file on the node, for type Localhost."""
    type: Literal["Localhost", "RuntimeDefault", "Unconfined"]
    """Which kind of profile."""


class SecurityContext(TypedDict):
    """SecurityContext, as in its YAML."""

    allow_privilege_escalation: NotRequired[bool | None]
    """Whether a process can gain more privileges than its parent."""
    app_armor_profile: NotRequired[AppArmorProfile | k8s_core_v1.AppArmorProfileArgs]
    """AppArmor profile of this container."""
    capabilities: NotRequired[Capabilities | k8s_core_v1.CapabilitiesArgs]
    """Linux capabilities."""
    privileged: NotRequired[bool | None]
    """Run as root on the host, in effect."""
    proc_mount: NotRequired[Literal["Default", "Unmasked"] | None]
    """How /proc is mounted."""
    read_only_root_filesystem: NotRequired[bool | None]
    """Whether the root filesystem is read-only."""
    run_as_group: NotRequired[int | None]
    """Group id of the entrypoint."""
    run_as_non_root: NotRequired[bool | None]
    """Refuse to run as uid 0."""
    run_as_user: NotRequired[int | None]
    """User id of the entrypoint."""
    se_linux_options: NotRequired[SELinuxOptions | k8s_core_v1.SELinuxOptionsArgs]
    """SELinux context."""
    seccomp_profile: NotRequired[SeccompProfile | k8s_core_v1.SeccompProfileArgs]
    """Seccomp profile."""
    windows_options: NotRequired[WindowsOptions]
    """Windows settings."""


class SleepAction(TypedDict):
    """SleepAction, as in its YAML."""

    seconds: int
    """How long to sleep."""


class StartupSettings(TypedDict):
    """StartupSettings, as in its YAML."""

    budget_seconds: NotRequired[int | None]
    """Seconds that an engine may take to load its model before it is restarted: the startup probe of services that set
    none. An update waits this long, plus 15 minutes for images and downloads."""
    unschedulable_seconds: NotRequired[int | None]
    """Seconds that an update waits for a node or a quota with room for a pod. Default: `600`."""
    error_seconds: NotRequired[int | None]
    """Seconds that an update continues while the kubelet fails to pull an image or to create a container. Default:
    `30`."""
    node_seconds: NotRequired[int | None]
    """Seconds that an update continues while a node fails to mount a volume or to create a pod's sandbox. Default:
    `300`."""
    crashes: NotRequired[int | None]
    """Number of crashes of a container, or of failed pods, after which an update stops waiting for its service.
    Default: `3`."""


class Sysctl(TypedDict):
    """Sysctl, as in its YAML."""

    name: str
    """Kernel parameter."""
    value: str
    """Its value."""


class TCPSocketAction(TypedDict):
    """TCPSocketAction, as in its YAML."""

    host: NotRequired[str | None]
    """Host to connect to, the pod's address by default."""
    port: int | str
    """Number or name of the container port."""


class Toleration(TypedDict):
    """Toleration, as in its YAML."""

    key: NotRequired[str | None]
    """Taint key; empty with operator Exists matches all."""
    operator: NotRequired[Literal["Exists", "Equal", "Lt", "Gt"] | None]
    """Equal by default."""
    value: NotRequired[str | None]
    """Taint value."""
    effect: NotRequired[Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None]
    """Taint effect; all by default."""
    toleration_seconds: NotRequired[int | None]
    """How long a NoExecute taint is tolerated, in seconds."""


class TopologySpreadConstraint(TypedDict):
    """TopologySpreadConstraint, as in its YAML."""

    label_selector: NotRequired[Any | None]
    """Pods that are counted."""
    match_label_keys: NotRequired[Sequence[str] | None]
    """Label keys whose values the counted pods share."""
    max_skew: int
    """Greatest difference between two domains."""
    min_domains: NotRequired[int | None]
    """Least number of domains."""
    node_affinity_policy: NotRequired[Literal["Honor", "Ignore"] | None]
    """Whether only nodes that the pod's affinity allows count."""
    node_taints_policy: NotRequired[Literal["Honor", "Ignore"] | None]
    """Whether only nodes that the pod tolerates count."""
    topology_key: str
    """Node label that makes a domain."""
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    """What happens when the skew would be exceeded."""


class TracingSettings(TypedDict):
    """OpenTelemetry traces of the endpoint picker and the routing proxy."""

    enabled: NotRequired[bool | None]
    """Whether they send traces. Default: `false`."""
    otel_exporter_endpoint: NotRequired[pulumi.Input[str] | None]
    """Address of the collector, such as http://otel-collector.observability:4317."""
    sampler: NotRequired[pulumi.Input[str] | None]
    """Name of the sampler; if empty, the program chooses. Default: `parentbased_traceidratio`."""
    sampler_arg: NotRequired[pulumi.Input[str] | None]
    """Argument of the sampler, such as the fraction of requests to trace. Default: `0.01`."""


class Volume(TypedDict):
    """A volume of a pod: a name and exactly one source, passed on as the API has it."""

    name: str
    """Name that mounts refer to."""


class VolumeDevice(TypedDict):
    """VolumeDevice, as in its YAML."""

    device_path: str
    """Path in the container."""
    name: str
    """Name of a claim volume of the pod."""


class VolumeMount(TypedDict):
    """VolumeMount, as in its YAML."""

    mount_path: str
    """Path in the container."""
    mount_propagation: NotRequired[str | None]
    """How mounts propagate from the host."""
    name: str
    """Name of a volume of the pod."""
    read_only: NotRequired[bool | None]
    """Mount read-only."""
    recursive_read_only: NotRequired[str | None]
    """Whether mounts below are read-only too."""
    sub_path: NotRequired[str | None]
    """Path within the volume."""
    sub_path_expr: NotRequired[str | None]
    """The same, with $(VAR) expanded."""


class WindowsOptions(TypedDict):
    """WindowsOptions, as in its YAML."""

    gmsa_credential_spec: NotRequired[str | None]
    """The GMSA credential spec itself."""
    gmsa_credential_spec_name: NotRequired[str | None]
    """Name of the GMSA credential spec."""
    host_process: NotRequired[bool | None]
    """Whether the container runs as a host process."""
    run_as_user_name: NotRequired[str | None]
    """Windows user of the entrypoint."""
