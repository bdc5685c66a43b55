"""The Gateways that lead to a service, and what is known of them."""

from ...kubernetes.values import value_at
from .context import Service


def gateways(service: Service) -> list[tuple[str, str]]:
    """Namespace and name of each Gateway: those of ``gateway.refs``, else of the route, else the platform's."""
    parents = (service.http.spec and service.http.spec.parentRefs) or []
    found = service.gateway_refs or [parent for parent in parents if parent.kind == "Gateway"]
    named = [(str(ref.namespace or service.namespace), str(ref.name)) for ref in found]
    ingress = service.settings.ingress
    return named or [(ingress.gateway_namespace, ingress.gateway_name)]


def are_istios(service: Service) -> bool:
    """Whether one of them is Istio's: by the setting, or by the class of a Gateway among the manifests."""
    specs = [service.known.field("Gateway", namespace, name, "spec") for namespace, name in gateways(service)]
    by_class = any("istio" in str(value_at(spec, "gatewayClassName")) for spec in specs)
    return by_class or service.settings.gatewayProvider == "istio"
