"""Settings of an endpoint picker, for ModelServices and for programs that create one directly."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ..core import LocalObjectReference, ResourceRequirements
from ..env import from_field
from ..model import Spec, defaults
from ..scalars import Boolean, Integer, Name, PassedText, Port, Strings, Text
from .config import ApiVersion, CheckedConfig
from .inference_pool import EXT_PROC_PORT, GROUP

PICKER_SERVICE = "gateway-api-inference-extension"
_NODE = "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME"
_POD = "OTEL_RESOURCE_ATTRIBUTES_POD_NAME"
_ATTRIBUTES = {"k8s.namespace.name": "NAMESPACE", "k8s.node.name": _NODE, "k8s.pod.name": _POD}


class TracingSettings(Spec):
    """OpenTelemetry traces of the endpoint picker and the routing proxy."""

    enabled: Boolean = False
    """Whether they send traces."""
    otelExporterEndpoint: PassedText = ""
    """Address of the collector, such as http://otel-collector.observability:4317."""
    sampler: PassedText = "parentbased_traceidratio"
    """Name of the sampler; if empty, the program chooses."""
    samplerArg: PassedText = "0.01"
    """Argument of the sampler, such as the fraction of requests to trace."""


def picker_tracing_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    """Expects the container to define NAMESPACE before these variables."""
    if not tracing.enabled:
        return []
    attributes = ",".join(f"{name}=$({variable})" for name, variable in _ATTRIBUTES.items())
    return [
        *exporter_env(tracing, PICKER_SERVICE),
        from_field(_NODE, "spec.nodeName"),
        from_field(_POD, "metadata.name"),
        {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": attributes},
        *sampler_env(tracing),
    ]


def exporter_env(tracing: TracingSettings, service: str) -> list[dict[str, Any]]:
    return [
        {"name": "OTEL_SERVICE_NAME", "value": service},
        {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": tracing.otelExporterEndpoint},
        {"name": "OTEL_TRACES_EXPORTER", "value": "otlp"},
    ]


def sampler_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    values = {"OTEL_TRACES_SAMPLER": tracing.sampler, "OTEL_TRACES_SAMPLER_ARG": tracing.samplerArg}
    return [{"name": name, "value": value} for name, value in values.items() if value]


IMAGE = "ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0"
CONFIG_API_VERSION: ApiVersion = "inference.networking.x-k8s.io/v1alpha1"
"""Version of the config file that the default image reads."""

Provider = Literal["istio", "gke", "none"]

FlagName = Annotated[Text, Field(pattern=r"^[A-Za-z0-9][-A-Za-z0-9_.]*$")]

PROVIDER: Provider = "istio"

HEALTH_PORT = 9003
METRICS_PORT = 9090

EXT_PROC_PORT_NAME = "grpc-ext-proc"
METRICS_PORT_NAME = "http-metrics"


class EndpointPickerOptions(Spec):
    """Settings of an endpoint picker, except for its name, namespace and pool."""

    poolGroup: Literal["inference.networking.k8s.io", "inference.networking.x-k8s.io"] = GROUP
    """API group of the pool."""
    image: PassedText = IMAGE
    """Container image."""
    replicas: Annotated[Integer, Field(ge=0, lt=2**31)] = 1
    """Number of pods. If there are several, they elect a leader, and only the leader is ready."""
    port: Port = EXT_PROC_PORT
    """Port on which gateways ask for an endpoint."""
    failureMode: Literal["FailOpen", "FailClose"] = "FailClose"
    """What a gateway does if the picker doesn't answer: choose an endpoint itself, or refuse the request."""
    resources: ResourceRequirements = defaults(ResourceRequirements)
    """Limits and requests. If both are empty, the container requests 4 CPUs and 8Gi, and may use at most 16Gi."""
    imagePullSecrets: list[LocalObjectReference] = []
    """Secrets for pulling the image."""
    provider: Provider = PROVIDER
    """Provider of the gateway: istio gets a DestinationRule, gke scrapes metrics without a token."""
    metricsEndpointAuth: Boolean = True
    """Whether reading the metrics requires a token."""
    metricsReader: Boolean = True
    """Whether to create what authenticated metrics need: ClusterRole, its binding and token Secret (not for gke)."""
    flags: dict[FlagName, Text] = {}
    """Further command-line flags; the names have no leading dashes."""
    tracing: TracingSettings = defaults(TracingSettings)
    """Tracing of the picker."""
    prefill: Boolean = False
    """Whether the pool has prefill pods besides decode pods; selects the built-in plugins."""
    pluginsConfig: CheckedConfig | None = None
    """Plugins and scheduling profiles that replace the built-in ones."""
    configApiVersion: ApiVersion = CONFIG_API_VERSION
    """apiVersion of the config file that the image reads."""
    monitoring: Boolean = False
    """Whether to create a ServiceMonitor for the picker's metrics."""
    version: Text = ""
    """Value of the app.kubernetes.io/version label; empty leaves the label out."""
    labels: Strings = {}
    """Further labels of all objects and the pods."""


class EndpointPickerSpec(EndpointPickerOptions):
    """An endpoint picker for one InferencePool of its namespace."""

    name: Name
    """Name of the picker's Deployment, Service, ServiceAccount, Role and ServiceMonitor."""
    namespace: Name = "default"
    """Namespace of the picker, its pool and the pods."""
    poolName: Name
    """InferencePool whose pods the picker chooses from."""

    @property
    def highly_available(self) -> bool:
        return self.replicas > 1
