"""The routing proxy beside vLLM in decode pods: it takes the pod's requests and has prefill pods process prompts first.

Decisions: O7 (docs/decisions).
"""

from typing import Any

from ...engines.companions import ROUTING_SIDECAR
from ...kubernetes.endpoint_picker.spec import TracingSettings, exporter_env, sampler_env
from ...kubernetes.security import container_security
from .spec import CONNECTOR, RoutingProxySpec

_NAME_IN_TRACES = "llm-d-routing-sidecar"


def routing_proxy(proxy: RoutingProxySpec, port: int, tracing: TracingSettings) -> dict[str, Any]:
    """A native sidecar: an init container that keeps running. ``port`` is the pod's."""
    container: dict[str, Any] = {
        "name": "routing-proxy",
        "image": proxy.image,
        "args": _arguments(proxy, port),
        "ports": [{"name": "proxy", "containerPort": port, "protocol": "TCP"}],
        "restartPolicy": "Always",
        "securityContext": container_security(None),
    }
    if tracing.enabled:
        container["env"] = [*exporter_env(tracing, _NAME_IN_TRACES), *sampler_env(tracing)]
    return container


def _arguments(proxy: RoutingProxySpec, port: int) -> list[Any]:
    release = ROUTING_SIDECAR.release_of(proxy.image) if ROUTING_SIDECAR.is_in(proxy.image) else None
    is_old = release is None or release.fact("--connector") is not None
    return [
        *("--port", str(port)),
        *("--vllm-port", str(proxy.targetPort)),
        *("--connector" if is_old else "--kv-connector", proxy.connector or CONNECTOR),
        *_option("--zap-encoder", proxy.zapEncoder),
        *_option("--zap-log-level", proxy.zapLogLevel),
        *_switch("--secure-proxy", proxy.secureProxy),
        *(_switch("--prefiller-use-tls", proxy.prefillerUseTLS) if is_old else _prefiller_tls(proxy)),
        *_option("--cert-path", proxy.certPath),
        # By default the sidecar serves HTTPS with a self-signed certificate, but everything else here speaks HTTP.
        *(["--secure-proxy=false"] if proxy.secureProxy is None else []),
    ]


def _prefiller_tls(proxy: RoutingProxySpec) -> list[str]:
    """Later releases list the roles to which the proxy speaks TLS."""
    return ["--enable-tls=prefiller"] if proxy.prefillerUseTLS else []


def _switch(flag: str, on: bool | None) -> list[str]:
    return [] if on is None else [f"{flag}={'true' if on else 'false'}"]


def _option(flag: str, value: Any) -> list[Any]:
    return [flag, value] if value else []
