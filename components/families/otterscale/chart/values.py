"""Values of the chart llm-d-modelservice that a ModelService has a place for; ``no_counterpart.py`` has the others.

Names and types are the chart's. A field that is not set is left to the default of the ModelService, but for those
where the chart's differs: ``create`` and ``enabled`` of the routing proxy.
"""

from typing import Annotated, Literal

from pydantic import Field

from ....kubernetes.core import EnvVar, LocalObjectReference, ResourceRequirements, Toleration
from ....kubernetes.model import Spec, defaults
from ....kubernetes.scalars import Boolean, Integer, Name, Port, Strings, Text

ModelCommand = Literal["vllmServe", "imageDefault", "custom"]
Count = Annotated[Integer, Field(ge=0, lt=2**31)]


class Values(Spec):
    """Base of the values: what it does not know is called unknown to the chart."""

    RELEASES = "the chart llm-d-modelservice up to 0.4.12"


class ModelArtifacts(Values):
    name: Name
    """Name of the model in requests."""
    uri: Text = ""
    """Where the model comes from: hf://, pvc://, pvc+hf:// or oci://."""
    labels: Strings = {}
    """Labels of the pods, by which the user's pool selects them."""
    authSecretName: Text = ""
    """Secret whose key HF_TOKEN is a token of Hugging Face."""
    mountPath: Text = ""
    """Where the model is mounted."""


class Accelerator(Values):
    type: Text = "nvidia"
    """Kind of device."""
    resources: Strings = {}
    """Kind of device to the resource of its device plugin."""
    env: dict[Text, list[EnvVar]] = {}
    """Kind of device to the variables that its pods get."""


class RoleAccelerator(Values):
    type: Text = ""
    """Kind of device of this role's pods."""


class Proxy(Values):
    enabled: Boolean = True
    """Whether decode pods have the routing proxy."""
    image: Text = ""
    """Its image."""
    connector: Text = ""
    """How the KV cache gets from prefill to decode."""
    targetPort: Port | None = None
    """Where vLLM listens behind it."""
    zapEncoder: Text = ""
    """Format of its log."""
    zapLogLevel: Text = ""
    """Level of its log."""
    secure: Boolean | None = None
    """Whether it takes requests by TLS."""
    prefillerUseTLS: Boolean | None = None
    """Whether it talks TLS to prefill pods."""
    certPath: Text = ""
    """Folder with its certificate."""


class ParentRef(Values):
    name: Name
    """Name of the Gateway."""
    namespace: Text = ""
    """Its namespace."""


class Routing(Values):
    servicePort: Port | None = None
    """Port on which the pods take requests."""
    proxy: Proxy = defaults(Proxy)
    """The routing proxy of decode pods."""
    parentRefs: list[ParentRef] = []
    """The Gateways that take the requests."""


class Parallelism(Values):
    """Sizes; 0 is as good as none."""

    tensor: Count = 0
    """Devices that share the model."""
    data: Count = 0
    """Copies of the model in all pods of a replica."""
    dataLocal: Count = 0
    """Copies of the model in a pod."""
    workers: Count = 0
    """Pods of a replica."""


class Container(Values):
    image: Text = ""
    """Its image."""
    modelCommand: ModelCommand = "custom"
    """What starts it: `vllm serve`, the image's command or `command`, as the chart calls them."""
    command: list[Text] = []
    """The command, with modelCommand custom."""
    args: list[Text] = []
    """Arguments of the user."""
    env: list[EnvVar] = []
    """Environment variables."""
    imagePullPolicy: Text = ""
    """When the image is pulled."""
    resources: ResourceRequirements = defaults(ResourceRequirements)
    """Limits and requests."""


class AcceleratorTypes(Values):
    """The nodes that the pods may run on, by one label."""

    labelKey: Text = ""
    """The label."""
    labelValues: list[Text] = []
    """Its values."""


class PodMonitor(Values):
    enabled: Boolean = False
    """Whether Prometheus reads the pods."""
    path: Text = ""
    """Path of the metrics."""
    interval: Text = ""
    """How often they are read."""


class Monitoring(Values):
    podmonitor: PodMonitor = defaults(PodMonitor)
    """Metrics of the pods."""


class ExtraConfig(Values):
    """Fields of the pod that a role of a ModelService has too."""

    imagePullSecrets: list[LocalObjectReference] = []
    """Registry credentials."""
    nodeSelector: Strings = {}
    """Labels of the nodes that the pods may run on."""
    tolerations: list[Toleration] = []
    """Taints that the pods tolerate."""


class Role(Values):
    create: Boolean = True
    """Whether there are pods of this role."""
    replicas: Count | None = None
    """Number of pods; 1 for decode and 0 for prefill."""
    nodeSelector: Strings = {}
    """Labels of the nodes that the pods may run on."""
    tolerations: list[Toleration] = []
    """Taints that the pods tolerate."""
    imagePullSecrets: list[LocalObjectReference] = []
    """Registry credentials."""
    parallelism: Parallelism = defaults(Parallelism)
    """How the model is spread over devices."""
    accelerator: RoleAccelerator = defaults(RoleAccelerator)
    """The devices, where they are not those of all roles."""
    acceleratorTypes: AcceleratorTypes = defaults(AcceleratorTypes)
    """The nodes, by a label for the kind of device."""
    containers: list[Container] = []
    """The first one serves the model."""
    monitoring: Monitoring = defaults(Monitoring)
    """Metrics."""
    extraConfig: ExtraConfig = defaults(ExtraConfig)
    """Further fields of the pod."""

    @property
    def container(self) -> Container:
        """The one that serves the model."""
        return self.containers[0] if self.containers else defaults(Container)


class Sampling(Values):
    sampler: Text = "parentbased_traceidratio"
    """OpenTelemetry's sampler."""
    samplerArg: Text = "1.0"
    """Its argument."""


class VLLMTracing(Values):
    collectDetailedTraces: Text = "all"
    """What vLLM traces."""


class Tracing(Values):
    enabled: Boolean = False
    """Whether vLLM and the routing proxy export traces."""
    otlpEndpoint: Text = "http://otel-collector:4317"
    """Where to."""
    sampling: Sampling = defaults(Sampling)
    """Which ones."""
    serviceNames: Strings = {}
    """What the traces of each program are called."""
    vllm: VLLMTracing = defaults(VLLMTracing)
    """Options of vLLM."""


class ChartValues(Values):
    """A values file of the chart."""

    fullnameOverride: Text = ""
    """Beginning of all objects' names."""
    nameOverride: Text = ""
    """The chart's name in those names."""
    tracing: Tracing = defaults(Tracing)
    """OpenTelemetry."""
    modelArtifacts: ModelArtifacts
    """The model."""
    accelerator: Accelerator = defaults(Accelerator)
    """The devices."""
    routing: Routing = defaults(Routing)
    """Ports and the routing proxy."""
    decode: Role = defaults(Role)
    """Pods that generate tokens."""
    prefill: Role | None = None
    """Pods that only process prompts."""
