"""OpenTelemetry: the environment variables of the endpoint picker and the routing proxy."""

from typing import Any

from ..env import from_field
from ..model import Spec
from ..scalars import Boolean, PassedText

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
    """Name of the sampler; empty leaves it to the program."""
    samplerArg: PassedText = "0.01"
    """The sampler's argument, such as the share of requests that is traced."""


def picker_tracing_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    """Expects the variable NAMESPACE to be there already."""
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
