"""The Gateways that lead to a service, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator

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
    return service.settings.gatewayProvider == "istio" or any("istio" in name for name in _classes(service))


def _classes(service: Service) -> Iterator[str]:
    for namespace, name in gateways(service):
        found = value_at(service.known.field("Gateway", namespace, name, "spec"), "gatewayClassName")
        yield found if isinstance(found, str) else ""
