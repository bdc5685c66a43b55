"""Pods as manifests carry them: every field of core/v1 PodSpec and Container in Kubernetes 1.36, by name.

What rules read is typed; parts that are only handed on are free form, so that a typo in a field's name is refused and a
rarely used field needs no model here.
"""

from __future__ import annotations

from typing import Literal

from .core import (
    ContainerPort,
    EnvFromSource,
    EnvVar,
    ExecAction,
    HTTPGetAction,
    LocalObjectReference,
    PodSecurityContext,
    Probe,
    ResourceRequirements,
    SecurityContext,
    TCPSocketAction,
    Toleration,
    Volume,
    VolumeMount,
)
from .model import Spec
from .scalars import Boolean, FreeForm, Int32, Integer, Name, PassedText, Quantity, Strings, Text

VOLUME_SOURCES = frozenset(
    [
        "awsElasticBlockStore",
        "azureDisk",
        "azureFile",
        "cephfs",
        "cinder",
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "fc",
        "flexVolume",
        "flocker",
        "gcePersistentDisk",
        "gitRepo",
        "glusterfs",
        "hostPath",
        "image",
        "iscsi",
        "nfs",
        "persistentVolumeClaim",
        "photonPersistentDisk",
        "portworxVolume",
        "projected",
        "quobyte",
        "rbd",
        "scaleIO",
        "secret",
        "storageos",
        "vsphereVolume",
    ]
)
"""What a volume can be; exactly one of them."""


class SleepAction(Spec):
    seconds: Integer
    """How long to sleep."""


class LifecycleHandler(Spec):
    exec: ExecAction | None = None
    """Run a command in the container."""
    httpGet: HTTPGetAction | None = None
    """Send an HTTP GET."""
    sleep: SleepAction | None = None
    """Wait."""
    tcpSocket: TCPSocketAction | None = None
    """Deprecated; kept by the API for old objects."""


class Lifecycle(Spec):
    postStart: LifecycleHandler | None = None
    """Right after the container was created."""
    preStop: LifecycleHandler | None = None
    """Before the container is stopped."""
    stopSignal: Text | None = None
    """Signal that stops the container; the pod's os must be set."""


class VolumeDevice(Spec):
    devicePath: Name
    """Path in the container."""
    name: Name
    """Name of a claim volume of the pod."""


class ResizePolicy(Spec):
    resourceName: Name
    """cpu or memory."""
    restartPolicy: Literal["NotRequired", "RestartContainer"]
    """Whether the container restarts when the resource is resized."""


class Container(Spec):
    args: list[PassedText] | None = None
    """Arguments of the command."""
    command: list[PassedText] | None = None
    """The command, run without a shell."""
    env: list[EnvVar] | None = None
    """Environment variables."""
    envFrom: list[EnvFromSource] | None = None
    """Environment variables from all keys of ConfigMaps and Secrets."""
    image: PassedText | None = None
    """Container image."""
    imagePullPolicy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When the image is pulled."""
    lifecycle: Lifecycle | None = None
    """What to do after start and before stop."""
    livenessProbe: Probe | None = None
    """Restarts the container when it fails."""
    name: Name
    """Name of the container; main is the model server."""
    ports: list[ContainerPort] | None = None
    """Ports of the container."""
    readinessProbe: Probe | None = None
    """Takes the pod out of Services when it fails."""
    resizePolicy: list[ResizePolicy] | None = None
    """What resizing a resource does to the container."""
    resources: ResourceRequirements | None = None
    """What the container needs and may use."""
    restartPolicy: Literal["Always", "Never", "OnFailure"] | None = None
    """Always makes an init container a sidecar."""
    restartPolicyRules: list[FreeForm] | None = None
    """Restart rules by exit code."""
    securityContext: SecurityContext | None = None
    """Security settings."""
    startupProbe: Probe | None = None
    """Holds the other probes back until the container has started."""
    stdin: Boolean | None = None
    """Keep stdin open."""
    stdinOnce: Boolean | None = None
    """Close stdin after the first attach."""
    terminationMessagePath: Text | None = None
    """File with the container's last words."""
    terminationMessagePolicy: Literal["File", "FallbackToLogsOnError"] | None = None
    """Whether the log counts when that file is empty."""
    tty: Boolean | None = None
    """Allocate a terminal."""
    volumeDevices: list[VolumeDevice] | None = None
    """Block devices."""
    volumeMounts: list[VolumeMount] | None = None
    """Where volumes are mounted."""
    workingDir: Text | None = None
    """Working directory."""


class TopologySpreadConstraint(Spec):
    labelSelector: FreeForm = None
    """Pods that are counted."""
    matchLabelKeys: list[Text] | None = None
    """Label keys whose values the counted pods share."""
    maxSkew: Int32
    """Greatest difference between two domains."""
    minDomains: Int32 | None = None
    """Least number of domains."""
    nodeAffinityPolicy: Literal["Honor", "Ignore"] | None = None
    """Whether only nodes that the pod's affinity allows count."""
    nodeTaintsPolicy: Literal["Honor", "Ignore"] | None = None
    """Whether only nodes that the pod tolerates count."""
    topologyKey: Name
    """Node label that makes a domain."""
    whenUnsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    """What happens when the skew would be exceeded."""


class PodResourceClaim(Spec):
    name: Name
    """Name that containers refer to."""
    resourceClaimName: Text | None = None
    """An existing claim."""
    resourceClaimTemplateName: Text | None = None
    """A template; each pod gets its own claim."""


class PodSpec(Spec):
    activeDeadlineSeconds: Integer | None = None
    """How long the pod may run."""
    affinity: FreeForm = None
    """Where the pod may or should be placed."""
    automountServiceAccountToken: Boolean | None = None
    """Whether the service account's token is mounted."""
    containers: list[Container] = []
    """Containers; main is the model server."""
    dnsConfig: FreeForm = None
    """DNS settings."""
    dnsPolicy: Literal["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"] | None = None
    """How names are resolved."""
    enableServiceLinks: Boolean | None = None
    """Whether every Service of the namespace becomes environment variables; off for vLLM pods, which they break."""
    ephemeralContainers: list[FreeForm] | None = None
    """Not allowed in a template; kept for objects dumped from a cluster."""
    hostAliases: list[FreeForm] | None = None
    """Lines of /etc/hosts."""
    hostIPC: Boolean | None = None
    """Share the node's IPC namespace."""
    hostNetwork: Boolean | None = None
    """Share the node's network."""
    hostPID: Boolean | None = None
    """Share the node's process namespace."""
    hostUsers: Boolean | None = None
    """Share the node's user namespace."""
    hostname: Text | None = None
    """Host name of the pod."""
    hostnameOverride: Text | None = None
    """Host name as the pod itself sees it."""
    imagePullSecrets: list[LocalObjectReference] | None = None
    """Secrets with registry credentials."""
    initContainers: list[Container] | None = None
    """Containers that run before the others."""
    nodeName: Text | None = None
    """Bind the pod to this node."""
    nodeSelector: Strings | None = None
    """Node labels that are required."""
    os: FreeForm = None
    """Operating system of the pod."""
    overhead: dict[Text, Quantity] | None = None
    """What the runtime class itself needs."""
    preemptionPolicy: Literal["PreemptLowerPriority", "Never"] | None = None
    """Whether the pod may evict others."""
    priority: Int32 | None = None
    """Set by the API server from the class."""
    priorityClassName: PassedText | None = None
    """Priority class."""
    readinessGates: list[FreeForm] | None = None
    """Further conditions of readiness."""
    resourceClaims: list[PodResourceClaim] | None = None
    """Dynamic resource allocation claims."""
    resources: ResourceRequirements | None = None
    """Resources of the pod as a whole."""
    restartPolicy: Literal["Always", "OnFailure", "Never"] | None = None
    """When containers are restarted."""
    runtimeClassName: PassedText | None = None
    """Runtime class."""
    schedulerName: Text | None = None
    """Scheduler that places the pod."""
    schedulingGates: list[FreeForm] | None = None
    """Gates that hold scheduling back."""
    schedulingGroup: FreeForm = None
    """Group of pods that are scheduled together."""
    securityContext: PodSecurityContext | None = None
    """Security settings of the pod."""
    serviceAccount: Text | None = None
    """Old name of serviceAccountName."""
    serviceAccountName: Text | None = None
    """Service account, which must exist; without it one is made where the pod needs rights."""
    setHostnameAsFQDN: Boolean | None = None
    """Use the full name as host name."""
    shareProcessNamespace: Boolean | None = None
    """Containers see each other's processes."""
    subdomain: Text | None = None
    """Subdomain of the pod's DNS name."""
    terminationGracePeriodSeconds: Integer | None = None
    """Seconds between the signal to stop and the kill."""
    tolerations: list[Toleration] | None = None
    """Taints that the pod tolerates."""
    topologySpreadConstraints: list[TopologySpreadConstraint] | None = None
    """How pods spread over the nodes."""
    volumes: list[Volume] | None = None
    """Volumes of the pod."""
