"""OpenTelemetry tracing of model servers and scheduler. The user's own settings take precedence.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/tracing.go at v0.20.0-rc0.
"""

from typing import Any

from ...engines.vllm import serving
from ...kubernetes.env import from_field
from . import serve
from .context import Service
from .pods import Pod, change_container, container, with_env


def with_server_tracing(pod: Pod, service: Service, role: str) -> Pod:
    """``role`` is decode or prefill."""
    tracing = service.spec.tracing
    server = container(pod)
    if tracing is None or server is None or not tracing.exporterEndpoint:
        return pod
    missing = [words for words in serving.tracing(tracing.exporterEndpoint) if not serve.has_flag(server, words[0])]
    return with_env(
        _with_args(pod, [word for words in missing for word in words]), _env(service, f"inference-server-{role}")
    )


def with_scheduler_tracing(pod: Pod, service: Service) -> Pod:
    scheduler = container(pod)
    if service.spec.tracing is None or scheduler is None:
        return pod
    flags = [] if serve.has_flag(scheduler, "--tracing", "-tracing") else ["--tracing=true"]
    return with_env(_with_args(pod, flags), _env(service, "inference-scheduler"))


def _with_args(pod: Pod, flags: list[Any]) -> Pod:
    return change_container(pod, lambda item: {**item, "args": [*item.get("args", []), *flags]}) if flags else pod


def _env(service: Service, name: str) -> list[dict[str, Any]]:
    tracing = service.spec.tracing
    assert tracing is not None
    values = {
        "OTEL_SERVICE_NAME": name,
        "OTEL_EXPORTER_OTLP_ENDPOINT": tracing.exporterEndpoint,
        "OTEL_TRACES_EXPORTER": tracing.exporter,
        "OTEL_TRACES_SAMPLER": tracing.sampler,
        "OTEL_TRACES_SAMPLER_ARG": tracing.samplerArg,
    }
    attributes = (
        f"k8s.namespace.name={service.namespace},k8s.node.name=$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME),"
        f"k8s.pod.name=$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME),llmisvc.name={service.name}"
    )
    return [
        *({"name": key, "value": value} for key, value in values.items() if value is not None),
        from_field("OTEL_RESOURCE_ATTRIBUTES_NODE_NAME", "spec.nodeName"),
        from_field("OTEL_RESOURCE_ATTRIBUTES_POD_NAME", "metadata.name"),
        {"name": "OTEL_RESOURCE_ATTRIBUTES", "value": attributes},
    ]
