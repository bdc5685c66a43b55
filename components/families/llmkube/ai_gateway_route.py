"""Objects that let Envoy AI Gateway route requests for a model's name to its service.

They need Envoy Gateway 1.8, Envoy AI Gateway 0.7 and the Gateway itself in the cluster.

Mirrors defilantech/LLMKube internal/controller/inferenceservice_gateway_controller.go at v0.9.19.
"""

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .context import Context
from .spec import EndpointGateway

MODEL_HEADER = "x-ai-eg-model"
"""Header into which the gateway copies the model's name from a request's body."""

_BACKEND_GROUP = "gateway.envoyproxy.io"
_ROUTE_GROUP = "aigateway.envoyproxy.io"


def gateway_objects(service: Context) -> dict[str, Object]:
    """Backend, AIServiceBackend and AIGatewayRoute by role; empty for a service without a gateway."""
    gateway = service.spec.endpoint.gateway
    if gateway is None or not gateway.enabled:
        return {}
    return {
        "backend": backend(service),
        "ai-service-backend": ai_service_backend(service),
        "ai-gateway-route": ai_gateway_route(service, gateway),
    }


def backend(service: Context) -> Object:
    """The Service, by its DNS name in the cluster."""
    address = {"hostname": names.host(service.name, service.namespace), "port": service.service_port}
    return _object(f"{_BACKEND_GROUP}/v1alpha1", "Backend", service, {"endpoints": [{"fqdn": address}]})


def ai_service_backend(service: Context) -> Object:
    reference = {"name": names.service_name(service.name), "kind": "Backend", "group": _BACKEND_GROUP}
    spec = {"schema": {"name": "OpenAI"}, "backendRef": reference}
    return _object(f"{_ROUTE_GROUP}/v1beta1", "AIServiceBackend", service, spec)


def ai_gateway_route(service: Context, gateway: EndpointGateway) -> Object:
    reference = gateway.gatewayRef
    parent = {
        "name": reference.name,
        "kind": "Gateway",
        "group": "gateway.networking.k8s.io",
        **({"namespace": reference.namespace} if reference.namespace else {}),
    }
    header = {"type": "Exact", "name": MODEL_HEADER, "value": gateway.modelName or service.spec.modelRef}
    rule = {"matches": [{"headers": [header]}], "backendRefs": [{"name": names.service_name(service.name)}]}
    return _object(f"{_ROUTE_GROUP}/v1beta1", "AIGatewayRoute", service, {"parentRefs": [parent], "rules": [rule]})


def _object(api_version: str, kind: str, service: Context, spec: dict[str, Any]) -> Object:
    metadata = {"name": names.service_name(service.name), "namespace": service.namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
