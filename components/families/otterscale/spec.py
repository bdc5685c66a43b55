"""ModelService of OtterScale (model.otterscale.io/v1alpha1): fields, bounds and defaults of its CRD."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ...kubernetes.core import EnvVar, LocalObjectReference, ResourceRequirements, Toleration
from ...kubernetes.endpoint_picker.inference_pool import EXT_PROC_PORT
from ...kubernetes.metadata import is_subdomain
from ...kubernetes.model import MAX_NAME, Manifest, ObjectMeta, Spec, defaults
from ...kubernetes.scalars import Boolean, Integer, Name, PassedText, Port, Strings, Text, describe

API_VERSION = "model.otterscale.io/v1alpha1"

MODEL_PATH = "/models"

ENGINE_PORT = 8000
PROXY_TARGET_PORT = 8200
CONNECTOR = "nixlv2"

Accelerator = Literal["nvidia", "amd", "intel-gaudi", "google", "cpu"]
Count = Annotated[Integer, Field(ge=0, lt=2**31)]
Size = Annotated[Integer, Field(ge=1, lt=2**31)]


def _not_empty(value: object) -> object:
    if value == "":
        raise ValueError("must not be empty")
    return value


PassedName = Annotated[PassedText, AfterValidator(_not_empty)]


class ModelSource(Spec):
    """Which model, and the OCI image (ModelPack) that holds it."""

    name: Annotated[Text, Field(min_length=1, max_length=253)]
    """Name under which the engine serves the model."""
    image: PassedName
    """OCI reference of the ModelPack that is unpacked into each pod."""
    mountPath: Text = MODEL_PATH
    """Where the engine finds the model."""
    imagePullSecrets: list[LocalObjectReference] = []
    """Registry credentials; the first one is also used to pull the model."""


class Engine(Spec):
    """The vLLM container of every role."""

    image: PassedText = ""
    """Container image; settings.otterscale.defaultImages.engine by default."""
    imagePullPolicy: PassedText = ""
    """When the image is pulled: Always, IfNotPresent or Never."""
    args: list[PassedText] = []
    """Further arguments of `vllm serve`, after the generated ones."""
    env: list[EnvVar] = []
    """Further environment variables."""
    port: Port = ENGINE_PORT
    """Port on which the pods take requests."""


class AcceleratorSpec(Spec):
    """The devices that the pods use."""

    type: Accelerator
    """Kind of device; decides which resource the pods ask for."""


class Parallelism(Spec):
    """How an instance of the model is spread over devices; a pod gets tensor x dataLocal of them."""

    tensor: Size = 1
    """Tensor parallel size."""
    data: Size = 1
    """Data parallel size, over all pods."""
    dataLocal: Size = 1
    """Data parallel size within a pod."""


class RoleSpec(Spec):
    """Pods of one role: decode (which also does prefill when there is no prefill role) or prefill."""

    replicas: Count = 1
    """Number of pods."""
    parallelism: Parallelism | None = None
    """Parallelism; 1 in each dimension by default."""
    resources: ResourceRequirements = defaults(ResourceRequirements)
    """Limits and requests of the engine; the accelerator's device is set by the parallelism."""
    nodeSelector: Strings = {}
    """Labels of the nodes that the pods may run on."""
    tolerations: list[Toleration] = []
    """Taints that the pods tolerate."""


class RoutingProxySpec(Spec):
    """The sidecar of decode pods that has prefill pods process prompts first."""

    image: PassedText = ""
    """Container image; settings.otterscale.defaultImages.routingProxy by default."""
    connector: PassedText = CONNECTOR
    """How the KV cache gets from prefill to decode."""
    targetPort: Port = PROXY_TARGET_PORT
    """Port on which vLLM listens behind the proxy."""
    zapEncoder: PassedText = ""
    """Log format: json or console."""
    zapLogLevel: PassedText = ""
    """Log level."""
    secureProxy: Boolean | None = None
    """Whether the proxy takes requests by TLS; not by default, as gateway and endpoint picker speak HTTP."""
    prefillerUseTLS: Boolean | None = None
    """Whether the proxy talks TLS to prefill pods."""
    certPath: PassedText = ""
    """Folder with the proxy's certificate."""


class PickerSpec(Spec):
    """The endpoint picker of the service's pool."""

    image: PassedText = ""
    """Container image; settings.otterscale.defaultImages.epp by default."""
    replicas: Count = 1
    """Number of pods; with more than one a leader is elected."""
    resources: ResourceRequirements = defaults(ResourceRequirements)
    """Limits and requests; with neither, 4 CPUs and 8Gi, at most 16Gi."""
    port: Port = EXT_PROC_PORT
    """Port on which the gateway asks for an endpoint."""
    failureMode: Literal["FailOpen", "FailClose"] = "FailOpen"
    """What the gateway does without an answer: pick by itself, or refuse the request."""


class InferencePoolSpec(Spec):
    """The pool of the service's pods."""

    endpointPicker: PickerSpec
    """The endpoint picker."""


class GatewayRef(Spec):
    """A Gateway."""

    name: Name
    """Name of the Gateway."""
    namespace: Text = ""
    """Its namespace; that of the service by default."""


class HTTPRouteSpec(Spec):
    """How requests reach the service."""

    gatewayRef: GatewayRef
    """The Gateway that takes the requests."""
    hostnames: list[PassedText] = []
    """Host names of the route; all by default."""


class PodMonitorSpec(Spec):
    """Which metrics Prometheus reads, and how often."""

    enabled: Boolean = False
    """Create PodMonitors and, with an inferencePool, a ServiceMonitor for its endpoint picker."""
    portName: Text = "http"
    """Name of the pods' port with the metrics."""
    path: PassedText = "/metrics"
    """Path of the metrics."""
    interval: Text = "30s"
    """How often the metrics are read."""


class MonitoringSpec(Spec):
    podMonitor: PodMonitorSpec = defaults(PodMonitorSpec)
    """Metrics of the serving pods, for the Prometheus operator."""


class ModelServiceSpec(Spec):
    """A model, an engine, an accelerator, and the pods that use them."""

    model: ModelSource
    """The model."""
    engine: Engine
    """The engine, the same for all roles."""
    accelerator: AcceleratorSpec
    """The accelerator, the same for all roles."""
    decode: RoleSpec
    """Pods that generate tokens."""
    prefill: RoleSpec | None = None
    """Pods that only process prompts; without it decode pods do that too."""
    routingProxy: RoutingProxySpec | None = None
    """Sidecar of decode pods, needed with prefill."""
    inferencePool: InferencePoolSpec | None = None
    """The service's InferencePool; without it a default one is created."""
    httpRoute: HTTPRouteSpec | None = None
    """The service's HTTPRoute; without it one to the default gateway is created, if there is one."""
    monitoring: MonitoringSpec = defaults(MonitoringSpec)
    """Metrics."""


def _object_name(name: str) -> str:
    if not is_subdomain(name):
        what = "lower-case letters, digits, '-' and '.', each part between dots ending in a letter or digit"
        raise ValueError(f"must be at most {MAX_NAME} {what}, got {describe(name)}")
    return name


class ModelServiceMeta(ObjectMeta):
    """Metadata whose name is checked with the schema, so that a bad name is reported together with all other
    problems."""

    name: Annotated[Name, AfterValidator(_object_name)]
    """Name of the service, with which the names of all its objects begin."""


class ModelService(Manifest):
    """A model served by vLLM pods, with or without prefill pods, behind an endpoint picker."""

    metadata: ModelServiceMeta
    """Name and namespace; labels and annotations stay with the ModelService."""
    spec: ModelServiceSpec
    """What to serve, and how."""
