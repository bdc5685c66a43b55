"""The routing proxy beside vLLM in decode pods: it takes the pod's requests and has them prefilled elsewhere first."""

from __future__ import annotations

from typing import Any

from ...kubernetes.security import container_security
from .settings import TracingSettings
from .spec import RoutingProxySpec
from .tracing import sidecar_tracing_env


def routing_proxy(proxy: RoutingProxySpec, port: int, tracing: TracingSettings) -> dict[str, Any]:
    """A native sidecar: an init container that keeps running. ``port`` is the pod's."""
    container = {
        "name": "routing-proxy",
        "image": proxy.image,
        "args": _arguments(proxy, port),
        "ports": [{"name": "proxy", "containerPort": port, "protocol": "TCP"}],
        "restartPolicy": "Always",
        "securityContext": container_security(None),
    }
    env = sidecar_tracing_env(tracing)
    return {**container, "env": env} if env else container


def _arguments(proxy: RoutingProxySpec, port: int) -> list[Any]:
    switches = {"--secure-proxy": proxy.secureProxy, "--prefiller-use-tls": proxy.prefillerUseTLS}
    return [
        *("--port", str(port)),
        *("--vllm-port", str(proxy.targetPort)),
        *("--connector", proxy.connector),
        *_option("--zap-encoder", proxy.zapEncoder),
        *_option("--zap-log-level", proxy.zapLogLevel),
        *(f"{flag}={'true' if on else 'false'}" for flag, on in switches.items() if on is not None),
        *_option("--cert-path", proxy.certPath),
    ]


def _option(flag: str, value: Any) -> list[Any]:
    return [flag, value] if value else []
