"""Kubernetes core/v1 types that manifests carry, with the API's own field names and constraints."""

from __future__ import annotations

from typing import Literal

from .model import Spec
from .scalars import Boolean, FreeForm, Int32, Integer, IntOrString, Name, PassedText, Port, Quantity, Text


class LocalObjectReference(Spec):
    name: PassedText = ""
    """Name of an object in the same namespace."""


class KeySelector(Spec):
    """A key of a ConfigMap or Secret in the pod's namespace."""

    key: Name
    """The key to select."""
    name: PassedText = ""
    """Name of the ConfigMap or Secret."""
    optional: Boolean | None = None
    """Whether the object or its key may be missing."""


class FieldRef(Spec):
    apiVersion: Text | None = None
    """Version of the schema that fieldPath is written in, v1 by default."""
    fieldPath: Name
    """Path of a pod field: metadata.name, metadata.namespace, metadata.labels['KEY'], status.podIP, …"""


class FileKeyRef(Spec):
    key: Name
    """Key within the env file."""
    optional: Boolean = False
    """Whether the file or its key may be missing."""
    path: Name
    """Relative path of the file in the volume."""
    volumeName: Name
    """Name of the mounted volume that has the file."""


class ResourceFieldRef(Spec):
    containerName: Text | None = None
    """The container; in an environment variable its own by default."""
    divisor: Quantity | None = None
    """Unit of the exposed value, 1 by default."""
    resource: Name
    """limits.cpu, limits.memory, requests.cpu, …"""


class EnvVarSource(Spec):
    configMapKeyRef: KeySelector | None = None
    """A key of a ConfigMap."""
    fieldRef: FieldRef | None = None
    """A field of the pod."""
    fileKeyRef: FileKeyRef | None = None
    """A key of an env file in a volume."""
    resourceFieldRef: ResourceFieldRef | None = None
    """A resource of the container."""
    secretKeyRef: KeySelector | None = None
    """A key of a Secret."""


class EnvVar(Spec):
    name: Name
    """Name of the variable."""
    value: PassedText | None = None
    """Its value; $(NAME) refers to a variable defined before."""
    valueFrom: EnvVarSource | None = None
    """Where the value comes from; not together with a value."""


class EnvFromSource(Spec):
    prefix: Text | None = None
    """Put in front of each key."""
    configMapRef: KeyedReference | None = None
    """A ConfigMap, all keys."""
    secretRef: KeyedReference | None = None
    """A Secret, all keys."""


class KeyedReference(Spec):
    name: PassedText = ""
    """Name of the ConfigMap or Secret."""
    optional: Boolean | None = None
    """Whether it may be missing."""


class ResourceClaim(Spec):
    name: Name
    """An entry of the pod's resourceClaims."""
    request: Text | None = None
    """One request of that claim; all of them by default."""


class ResourceRequirements(Spec):
    limits: dict[Text, Quantity] = {}
    """The most that the container may use."""
    requests: dict[Text, Quantity] = {}
    """What the scheduler sets aside."""
    claims: list[ResourceClaim] = []
    """Dynamic resource allocation claims."""


class Toleration(Spec):
    key: Text | None = None
    """Taint key; empty with operator Exists matches all."""
    operator: Literal["Exists", "Equal", "Lt", "Gt"] | None = None
    """Equal by default."""
    value: Text | None = None
    """Taint value."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    """Taint effect; all by default."""
    tolerationSeconds: Integer | None = None
    """How long a NoExecute taint is tolerated, in seconds."""


class AppArmorProfile(Spec):
    localhostProfile: Text | None = None
    """A profile loaded on the node, for type Localhost."""
    type: Literal["Localhost", "RuntimeDefault", "Unconfined"]
    """Which kind of profile."""


class SeccompProfile(Spec):
    localhostProfile: Text | None = None
    """A profile file on the node, for type Localhost."""
    type: Literal["Localhost", "RuntimeDefault", "Unconfined"]
    """Which kind of profile."""


class SELinuxOptions(Spec):
    level: Text | None = None
    """SELinux level label."""
    role: Text | None = None
    """SELinux role label."""
    type: Text | None = None
    """SELinux type label."""
    user: Text | None = None
    """SELinux user label."""


class Sysctl(Spec):
    name: Name
    """Kernel parameter."""
    value: Text
    """Its value."""


class WindowsOptions(Spec):
    gmsaCredentialSpec: Text | None = None
    """The GMSA credential spec itself."""
    gmsaCredentialSpecName: Text | None = None
    """Name of the GMSA credential spec."""
    hostProcess: Boolean | None = None
    """Whether the container runs as a host process."""
    runAsUserName: Text | None = None
    """Windows user of the entrypoint."""


class PodSecurityContext(Spec):
    appArmorProfile: AppArmorProfile | None = None
    """AppArmor profile of the pod's containers."""
    fsGroup: Integer | None = None
    """Group that owns the pod's volumes."""
    fsGroupChangePolicy: Literal["OnRootMismatch", "Always"] | None = None
    """When the ownership of a volume is changed."""
    runAsGroup: Integer | None = None
    """Group id of the entrypoint."""
    runAsNonRoot: Boolean | None = None
    """Refuse to run as uid 0."""
    runAsUser: Integer | None = None
    """User id of the entrypoint."""
    seLinuxChangePolicy: Literal["MountOption", "Recursive"] | None = None
    """How SELinux labels reach the volumes."""
    seLinuxOptions: SELinuxOptions | None = None
    """SELinux context."""
    seccompProfile: SeccompProfile | None = None
    """Seccomp profile."""
    supplementalGroups: list[Integer] | None = None
    """Further groups of the first process."""
    supplementalGroupsPolicy: Literal["Merge", "Strict"] | None = None
    """Whether the image's own groups count too."""
    sysctls: list[Sysctl] | None = None
    """Namespaced kernel parameters."""
    windowsOptions: WindowsOptions | None = None
    """Windows settings."""


class Capabilities(Spec):
    add: list[Text] | None = None
    """Added capabilities."""
    drop: list[Text] | None = None
    """Removed capabilities."""


class SecurityContext(Spec):
    allowPrivilegeEscalation: Boolean | None = None
    """Whether a process can gain more privileges than its parent."""
    appArmorProfile: AppArmorProfile | None = None
    """AppArmor profile of this container."""
    capabilities: Capabilities | None = None
    """Linux capabilities."""
    privileged: Boolean | None = None
    """Run as root on the host, in effect."""
    procMount: Literal["Default", "Unmasked"] | None = None
    """How /proc is mounted."""
    readOnlyRootFilesystem: Boolean | None = None
    """Whether the root filesystem is read-only."""
    runAsGroup: Integer | None = None
    """Group id of the entrypoint."""
    runAsNonRoot: Boolean | None = None
    """Refuse to run as uid 0."""
    runAsUser: Integer | None = None
    """User id of the entrypoint."""
    seLinuxOptions: SELinuxOptions | None = None
    """SELinux context."""
    seccompProfile: SeccompProfile | None = None
    """Seccomp profile."""
    windowsOptions: WindowsOptions | None = None
    """Windows settings."""


class ExecAction(Spec):
    command: list[Text] = []
    """Command line, run without a shell."""


class GRPCAction(Spec):
    port: Port
    """Port of the gRPC service."""
    service: Text | None = None
    """Service name in the health request."""


class HTTPHeader(Spec):
    name: Name
    """Header name."""
    value: PassedText
    """Header value."""


class HTTPGetAction(Spec):
    host: Text | None = None
    """Host to connect to, the pod's address by default."""
    httpHeaders: list[HTTPHeader] | None = None
    """Request headers."""
    path: Text | None = None
    """Path on the server."""
    port: IntOrString
    """Number or name of the container port."""
    scheme: Literal["HTTP", "HTTPS"] | None = None
    """HTTP by default."""


class TCPSocketAction(Spec):
    host: Text | None = None
    """Host to connect to, the pod's address by default."""
    port: IntOrString
    """Number or name of the container port."""


class Probe(Spec):
    exec: ExecAction | None = None
    """Run a command in the container."""
    failureThreshold: Int32 | None = None
    """Failures in a row that count as failed; 3 by default."""
    grpc: GRPCAction | None = None
    """Ask a gRPC health service."""
    httpGet: HTTPGetAction | None = None
    """Send an HTTP GET."""
    initialDelaySeconds: Int32 | None = None
    """Seconds from the container's start to the first probe."""
    periodSeconds: Int32 | None = None
    """Seconds between probes; 10 by default."""
    successThreshold: Int32 | None = None
    """Successes in a row that count as recovered; 1 by default."""
    tcpSocket: TCPSocketAction | None = None
    """Open a TCP connection."""
    terminationGracePeriodSeconds: Integer | None = None
    """Grace period after a failed probe, in seconds."""
    timeoutSeconds: Int32 | None = None
    """Seconds until a probe times out; 1 by default."""


class ContainerPort(Spec):
    containerPort: Port
    """Port on the pod's address."""
    hostIP: Text | None = None
    """Host address to bind."""
    hostPort: Port | None = None
    """Port on the host."""
    name: Text | None = None
    """Name that Services and probes refer to."""
    protocol: Literal["TCP", "UDP", "SCTP"] | None = None
    """TCP by default."""


class VolumeMount(Spec):
    mountPath: Name
    """Path in the container."""
    mountPropagation: Text | None = None
    """How mounts propagate from the host."""
    name: Name
    """Name of a volume of the pod."""
    readOnly: Boolean | None = None
    """Mount read-only."""
    recursiveReadOnly: Text | None = None
    """Whether mounts below are read-only too."""
    subPath: Text | None = None
    """Path within the volume."""
    subPathExpr: Text | None = None
    """The same, with $(VAR) expanded."""


class Volume(Spec):
    """A volume of a pod: a name and exactly one source, passed on as the API has it."""

    model_config = {"extra": "allow"}

    name: Name
    """Name that mounts refer to."""
    __pydantic_extra__: dict[str, FreeForm]


EnvFromSource.model_rebuild()
