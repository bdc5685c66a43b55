"""How a service is reached from outside: Ingress, HTTPRoute or VirtualService, and its host names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...findings import Problem
from ...kubernetes.metadata import is_subdomain
from ...kubernetes.objects import Object
from . import names
from .component import Component
from .metadata import VISIBILITY, Identity, public_annotations
from .services import serving_port
from .settings import Ingress

_OVERRIDES = {
    "ome.io/ingress-domain-template": "domainTemplate",
    "ome.io/ingress-domain": "ingressDomain",
    "ome.io/ingress-url-scheme": "urlScheme",
    "ome.io/ingress-path-template": "pathTemplate",
    "ome.io/ingress-disable-istio-virtualhost": "disableIstioVirtualHost",
    "ome.io/ingress-disable-creation": "disableIngressCreation",
}
_ADDITIONAL = "ome.io/ingress-additional-domains"
_VALUE = re.compile(r"\{\{-?\s*\.(\w+)\s*-?\}\}")


def effective(config: Ingress, annotations: Mapping[str, Any]) -> Ingress:
    """The platform's ingress settings with what a service's annotations change."""
    given = {field: annotations[key] for key, field in _OVERRIDES.items() if key in annotations}
    for field in ("disableIstioVirtualHost", "disableIngressCreation"):
        if field in given:
            given[field] = given[field] == "true"
    if _ADDITIONAL in annotations:
        domains = [domain.strip() for domain in str(annotations[_ADDITIONAL]).split(",")]
        given["additionalIngressDomains"] = [domain for domain in domains if domain]
    return config.model_copy(update=given)


@dataclass(frozen=True)
class Entrance:
    """What the builders need: ``components`` by role, ``entry`` the one that requests reach first."""

    identity: Identity
    config: Ingress
    components: Mapping[str, Component]
    entry: Component
    more_domains: bool

    @property
    def internal(self) -> bool:
        return self.identity.service.metadata.labels.get(VISIBILITY) == "cluster-local"

    def host(self, name: str, domain: str | None = None) -> str:
        values = {
            "Name": names.shortened(name),
            "Namespace": self.identity.service.namespace,
            "IngressDomain": domain or self.config.ingressDomain,
        }
        return _VALUE.sub(lambda match: values.get(match[1], match[0]), self.config.domainTemplate)

    def more_hosts(self) -> list[str]:
        """The service in the further domains. OME's own controllers leave them out."""
        if not self.more_domains:
            return []
        return [self.host(self.identity.service.name, domain) for domain in self.config.additionalIngressDomains]


def entrance(found: Entrance) -> tuple[str, Object] | None:
    """Role and object, or None where the settings want none."""
    if found.config.disableIngressCreation:
        return None
    if found.entry.workload == "KnativeService":
        return None if found.config.disableIstioVirtualHost else ("virtual-service", _virtual_service(found))
    if found.internal:
        return None
    return ("route", _http_route(found)) if found.config.enableGatewayAPI else ("ingress", _ingress(found))


def _ingress(found: Entrance) -> Object:
    service = found.identity.service
    metadata: dict[str, Any] = {"name": service.name, "namespace": service.namespace}
    if found.identity.annotations:
        metadata["annotations"] = dict(found.identity.annotations)
    rules = [_ingress_rule(found.host(service.name), found.entry)]
    if set(found.components) != {"engine"}:
        order = [found.components[role] for role in ("router", "engine", "decoder") if role in found.components]
        rules += [_ingress_rule(found.host(component.name), component) for component in order]
    spec: dict[str, Any] = {"rules": rules}
    if found.config.ingressClassName:
        spec["ingressClassName"] = found.config.ingressClassName
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}


def _ingress_rule(host: str, component: Component) -> dict[str, Any]:
    backend = {"service": {"name": names.shortened(component.name), "port": {"number": serving_port(component)}}}
    return {"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}


def _http_route(found: Entrance) -> Object:
    service = found.identity.service
    namespace, _, gateway = found.config.omeIngressGateway.rpartition("/")
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": gateway}
    labels = {key: value for key, value in service.metadata.labels.items() if key != VISIBILITY}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {
            "name": service.name,
            "namespace": service.namespace,
            "labels": labels,
            "annotations": public_annotations(found.identity),
        },
        "spec": {
            "parentRefs": [{**parent, "namespace": namespace} if namespace else parent],
            "hostnames": [*dict.fromkeys([found.host(service.name), *found.more_hosts()])],
            "rules": [_route_rule(found)],
        },
    }


def _route_rule(found: Entrance) -> dict[str, Any]:
    service, entry = found.identity.service, found.entry
    seconds = 60 if entry.spec.timeoutSeconds is None else entry.spec.timeoutSeconds
    headers = [
        {"name": "OMe-Isvc-Name", "value": service.name},
        {"name": "OMe-Isvc-Namespace", "value": service.namespace},
    ]
    backend = {
        "group": "",
        "kind": "Service",
        "name": names.shortened(entry.name),
        "namespace": service.namespace,
        "port": serving_port(entry),
        "weight": 1,
    }
    return {
        "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
        "filters": [{"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": headers}}],
        "backendRefs": [backend],
        "timeouts": {"request": f"{seconds}s"},
    }


def _virtual_service(found: Entrance) -> Object:
    service, config = found.identity.service, found.config
    local = f"{service.name}.{service.namespace}.svc.cluster.local"
    outside = [] if found.internal else [found.host(service.name), *found.more_hosts()]
    gateways = [config.localGateway, "mesh", *([] if found.internal else [config.ingressGateway])]
    target = f"{found.entry.name}.{service.namespace}.svc.cluster.local"
    route = {
        "match": _matches(local, outside, config),
        "route": [
            {
                "destination": {
                    "host": config.knativeLocalGatewayService or config.localGatewayService,
                    "port": {"number": 80},
                },
                "weight": 100,
            }
        ],
        "headers": {"request": {"set": {"Host": target}}},
    }
    metadata: dict[str, Any] = {
        "name": service.name,
        "namespace": service.namespace,
        "labels": dict(service.metadata.labels),
        "annotations": public_annotations(found.identity),
    }
    spec = {"hosts": [local, *outside], "gateways": gateways, "http": [route]}
    return {"apiVersion": "networking.istio.io/v1beta1", "kind": "VirtualService", "metadata": metadata, "spec": spec}


def _matches(local: str, outside: Sequence[str], config: Ingress) -> list[dict[str, Any]]:
    """Requests from the cluster by any form of the local name, from outside by the hosts."""
    short = local.removesuffix(".svc.cluster.local")
    inner = rf"^{re.escape(short)}(\.svc(\.cluster\.local)?)?(?::\d{{1,5}})?$"
    found = [{"authority": {"regex": inner}, "gateways": [config.localGateway, "mesh"]}]
    for host in outside:
        regex = rf"^{re.escape(host)}(?::\d{{1,5}})?$"
        found.append({"authority": {"regex": regex}, "gateways": [config.ingressGateway]})
    return found


def ingress_problems(found: Entrance) -> Iterator[Problem]:
    """Host names and gateways that the API server would refuse."""
    if found.config.disableIngressCreation:
        return
    host = found.host(found.identity.service.name)
    if not is_subdomain(host):
        message = f"the host name {host} is none: correct domainTemplate and ingressDomain of settings.ome.ingress"
        yield Problem("metadata.name", message)
    if found.config.additionalIngressDomains and not found.more_domains:
        message = "additional ingress domains are left out, as OME does it: settings.ome.additionalHosts serves them"
        yield Problem("metadata.annotations", message, "info", "no-effect")
    if found.config.enableGatewayAPI and not found.config.omeIngressGateway:
        message = "needs a Gateway: write settings.ome.ingress.omeIngressGateway as namespace/name"
        yield Problem("metadata.name", message, code="required")
