"""OpenTelemetry environment of the routing proxy and the endpoint picker; the engines get none."""

from __future__ import annotations

from typing import Any

from .settings import TracingSettings

SIDECAR_SERVICE = "llm-d-routing-sidecar"
PICKER_SERVICE = "gateway-api-inference-extension"

_NODE = "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME"
_POD = "OTEL_RESOURCE_ATTRIBUTES_POD_NAME"
_ATTRIBUTES = {"k8s.namespace.name": "NAMESPACE", "k8s.node.name": _NODE, "k8s.pod.name": _POD}


def sidecar_tracing_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    return [*_exporter(tracing, SIDECAR_SERVICE), *_sampler(tracing)] if tracing.enabled else []


def picker_tracing_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    """Expects the variable NAMESPACE to be there already."""
    if not tracing.enabled:
        return []
    attributes = ",".join(f"{name}=$({variable})" for name, variable in _ATTRIBUTES.items())
    return [
        *_exporter(tracing, PICKER_SERVICE),
        _field(_NODE, "spec.nodeName"),
        _field(_POD, "metadata.name"),
        {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": attributes},
        *_sampler(tracing),
    ]


def _exporter(tracing: TracingSettings, service: str) -> list[dict[str, Any]]:
    return [
        {"name": "OTEL_SERVICE_NAME", "value": service},
        {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": tracing.otelExporterEndpoint},
        {"name": "OTEL_TRACES_EXPORTER", "value": "otlp"},
    ]


def _sampler(tracing: TracingSettings) -> list[dict[str, Any]]:
    values = {"OTEL_TRACES_SAMPLER": tracing.sampler, "OTEL_TRACES_SAMPLER_ARG": tracing.samplerArg}
    return [{"name": name, "value": value} for name, value in values.items() if value]


def _field(name: str, path: str) -> dict[str, Any]:
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
