"""The Gateways that lead to a service, and what is known of them.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/router_discovery.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.values import mappings, value_at
from .context import Service

_ISTIOS_CONTROLLERS = ("istio.io/", "openshift.io/gateway-controller")
"""OpenShift's Gateways are Istio's too."""


def gateways(service: Service) -> list[tuple[str, str]]:
    """Namespace and name of each Gateway: those of ``gateway.refs``, else of the route, else the platform's."""
    parents = (service.http.spec and service.http.spec.parentRefs) or []
    references = service.gateway_refs or [parent for parent in parents if parent.kind == "Gateway"]
    named = [(str(ref.namespace or service.namespace), str(ref.name)) for ref in references] or _of_user_routes(service)
    ingress = service.settings.ingress
    return named or [(ingress.gateway_namespace, ingress.gateway_name)]


def _of_user_routes(service: Service) -> list[tuple[str, str]]:
    """The Gateways of the user's routes, as far as these are among the manifests."""
    refs = service.http.refs or []
    routes = [service.known.field("HTTPRoute", service.namespace, str(ref.name), "spec") for ref in refs]
    parents = [parent for route in routes for parent in mappings(value_at(route, "parentRefs"))]
    return [
        (str(parent.get("namespace") or service.namespace), str(parent.get("name")))
        for parent in parents
        if parent.get("kind", "Gateway") == "Gateway"
    ]


def are_istios(service: Service) -> bool:
    """Whether one of them is Istio's: by the setting, or by the class of a Gateway among the manifests."""
    specs = [service.known.field("Gateway", namespace, name, "spec") for namespace, name in gateways(service)]
    classes = [value_at(spec, "gatewayClassName") for spec in specs if spec]
    return service.settings.gatewayProvider == "istio" or any(_is_istios(name, service) for name in classes)


def _is_istios(gateway_class: Any, service: Service) -> bool:
    """By the name of the class, or by its controller where it is among the manifests."""
    spec = service.known.field("GatewayClass", "", str(gateway_class), "spec")
    controller = str(value_at(spec, "controllerName") or "")
    named = "istio" in str(gateway_class) or gateway_class == "openshift-default"
    return named or controller.startswith(_ISTIOS_CONTROLLERS)
