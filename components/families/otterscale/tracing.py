"""OpenTelemetry environment of the routing proxy; the engines get none."""

from __future__ import annotations

from typing import Any

from ...kubernetes.endpoint_picker.tracing import TracingSettings, exporter_env, sampler_env

SIDECAR_SERVICE = "llm-d-routing-sidecar"


def sidecar_tracing_env(tracing: TracingSettings) -> list[dict[str, Any]]:
    return [*exporter_env(tracing, SIDECAR_SERVICE), *sampler_env(tracing)] if tracing.enabled else []
