"""Values of the chart llm-d-modelservice with a counterpart in a ModelService; ``no_counterpart.py`` has the others.

Names and types are the chart's. A field that is not set gets the ModelService's default, except where the chart's
default differs: ``create``, and ``enabled`` of the routing proxy.
"""

from typing import Annotated, Literal

from pydantic import Field

from ....kubernetes.core import EnvVar, LocalObjectReference, ResourceRequirements, Toleration
from ....kubernetes.model import Spec, defaults
from ....kubernetes.scalars import Boolean, Integer, Name, Port, Strings, Text

ModelCommand = Literal["vllmServe", "imageDefault", "custom"]
Count = Annotated[Integer, Field(ge=0, lt=2**31)]


class Values(Spec):
    """Base class of the values. Messages call fields that it lacks unknown to the chart."""

    RELEASES = "the chart llm-d-modelservice up to 0.4.12"


class ModelArtifacts(Values):
    name: Name
    """Name of the model in requests."""
    uri: Text = ""
    """Where the model comes from: hf://, pvc://, pvc+hf:// or oci://."""
    labels: Strings = {}
    """Labels of the pods, by which the user's pool selects them."""
    authSecretName: Text = ""
    """Secret whose key HF_TOKEN has a Hugging Face token."""
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
    """Container image."""
    connector: Text = ""
    """How the KV cache gets from prefill to decode."""
    targetPort: Port | None = None
    """Port on which vLLM listens behind the proxy."""
    zapEncoder: Text = ""
    """Log format of the proxy."""
    zapLogLevel: Text = ""
    """Log level of the proxy."""
    secure: Boolean | None = None
    """Whether the proxy takes requests by TLS."""
    prefillerUseTLS: Boolean | None = None
    """Whether the proxy speaks TLS to prefill pods."""
    certPath: Text = ""
    """Folder with the proxy's certificate."""


class ParentRef(Values):
    name: Name
    """Name of the Gateway."""
    namespace: Text = ""
    """Namespace of the Gateway."""


class Routing(Values):
    servicePort: Port | None = None
    """Port on which the pods take requests."""
    proxy: Proxy = defaults(Proxy)
    """The routing proxy of decode pods."""
    parentRefs: list[ParentRef] = []
    """The Gateways that take the requests."""


class Parallelism(Values):
    """Parallelism sizes; 0 means not set."""

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
    """Container image."""
    modelCommand: ModelCommand = "custom"
    """What starts the container: `vllm serve`, the image's command, or the field `command`."""
    command: list[Text] = []
    """Command of the container, with modelCommand custom."""
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
    """Key of the label."""
    labelValues: list[Text] = []
    """Values of the label."""


class PodMonitor(Values):
    enabled: Boolean = False
    """Whether Prometheus reads the pods' metrics."""
    path: Text = ""
    """Path of the metrics."""
    interval: Text = ""
    """How often the metrics are read."""


class Monitoring(Values):
    podmonitor: PodMonitor = defaults(PodMonitor)
    """Metrics of the pods."""


class ExtraConfig(Values):
    """Pod fields that a role of a ModelService has as well."""

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
    """Devices of this role, if they differ from those of all roles."""
    acceleratorTypes: AcceleratorTypes = defaults(AcceleratorTypes)
    """Nodes of the pods, by a label for the kind of device."""
    containers: list[Container] = []
    """Containers of the pod; the first one serves the model."""
    monitoring: Monitoring = defaults(Monitoring)
    """Metrics."""
    extraConfig: ExtraConfig = defaults(ExtraConfig)
    """Further fields of the pod."""

    @property
    def container(self) -> Container:
        """The container that serves the model."""
        return self.containers[0] if self.containers else defaults(Container)


class Sampling(Values):
    sampler: Text = "parentbased_traceidratio"
    """OpenTelemetry's sampler."""
    samplerArg: Text = "1.0"
    """Argument of the sampler."""


class VLLMTracing(Values):
    collectDetailedTraces: Text = "all"
    """What vLLM traces."""


class Tracing(Values):
    enabled: Boolean = False
    """Whether vLLM and the routing proxy export traces."""
    otlpEndpoint: Text = "http://otel-collector:4317"
    """OTLP endpoint that receives the traces."""
    sampling: Sampling = defaults(Sampling)
    """Which traces are sampled."""
    serviceNames: Strings = {}
    """Service name of each program in its traces."""
    vllm: VLLMTracing = defaults(VLLMTracing)
    """Options of vLLM."""


class ChartValues(Values):
    """A values file of the chart."""

    fullnameOverride: Text = ""
    """Prefix of all objects' names."""
    nameOverride: Text = ""
    """The chart's name in the objects' names."""
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
