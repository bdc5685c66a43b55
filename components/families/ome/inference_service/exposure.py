"""How a service is reached from outside: by which object, and under which host names.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/builders at v0.1.5.
Decisions: M2, M16 (docs/decisions).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....kubernetes.objects import Object
from .. import names
from ..settings import Ingress
from .component import Component
from .context import Context
from .labels import VISIBILITY, public_annotations
from .service import serving_port

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
    changes = {field: annotations[key] for key, field in _OVERRIDES.items() if key in annotations}
    for field in ("disableIstioVirtualHost", "disableIngressCreation"):
        if field in changes:
            changes[field] = changes[field] == "true"
    if _ADDITIONAL in annotations:
        domains = [domain.strip() for domain in str(annotations[_ADDITIONAL]).split(",")]
        changes["additionalIngressDomains"] = [domain for domain in domains if domain]
    return config.model_copy(update=changes)


@dataclass(frozen=True)
class Exposure:
    """A service, and the platform's ingress settings with its annotations."""

    context: Context
    config: Ingress

    @property
    def internal(self) -> bool:
        return self.context.service.metadata.labels.get(VISIBILITY) == "cluster-local"

    def host(self, name: str, domain: str | None = None) -> str:
        values = {
            "Name": names.shortened(name),
            "Namespace": self.context.service.namespace,
            "IngressDomain": domain or self.config.ingressDomain,
        }
        return _VALUE.sub(lambda match: values.get(match[1], match[0]), self.config.domainTemplate)

    @property
    def hosts(self) -> list[str]:
        """The service's in each domain. OME's controllers leave the further ones out."""
        more = self.config.additionalIngressDomains if self.context.settings.additionalHosts else []
        return [self.host(self.context.service.name, domain) for domain in (None, *more)]


def exposure_of(context: Context) -> Exposure:
    return Exposure(context, effective(context.settings.ingress, context.service.metadata.annotations))


def exposing_object(exposure: Exposure) -> tuple[str, Object] | None:
    if exposure.config.disableIngressCreation:
        return None
    if exposure.context.entry.workload == "KnativeService":
        return None if exposure.config.disableIstioVirtualHost else ("virtual-service", virtual_service(exposure))
    if exposure.internal:
        return None
    return ("route", http_route(exposure)) if exposure.config.enableGatewayAPI else ("ingress", ingress(exposure))


def _made(exposure: Exposure, api_version: str, kind: str, described: dict[str, Any], spec: dict[str, Any]) -> Object:
    """An object that is named like the service; ``described`` are its labels and annotations."""
    service = exposure.context.service
    metadata = {"name": service.name, "namespace": service.namespace, **described}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def http_route(exposure: Exposure) -> Object:
    namespace, _, gateway = exposure.config.omeIngressGateway.rpartition("/")
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": gateway}
    stated = exposure.context.service.metadata.labels
    labels = {key: value for key, value in stated.items() if key != VISIBILITY}
    spec = {
        "parentRefs": [{**parent, "namespace": namespace} if namespace else parent],
        "hostnames": [*dict.fromkeys(exposure.hosts)],
        "rules": [_route_rule(exposure)],
    }
    described = {"labels": labels, "annotations": public_annotations(exposure.context)}
    return _made(exposure, "gateway.networking.k8s.io/v1", "HTTPRoute", described, spec)


def _route_rule(exposure: Exposure) -> dict[str, Any]:
    service, entry = exposure.context.service, exposure.context.entry
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


def ingress(exposure: Exposure) -> Object:
    context, name = exposure.context, exposure.context.service.name
    rules = [_ingress_rule(exposure.host(name), context.entry)]
    if set(context.components) != {"engine"}:
        order = [context.components[role] for role in ("router", "engine", "decoder") if role in context.components]
        rules += [_ingress_rule(exposure.host(component.name), component) for component in order]
    chosen = {"ingressClassName": exposure.config.ingressClassName} if exposure.config.ingressClassName else {}
    annotations = {"annotations": dict(context.annotations)} if context.annotations else {}
    return _made(exposure, "networking.k8s.io/v1", "Ingress", annotations, {"rules": rules, **chosen})


def _ingress_rule(host: str, component: Component) -> dict[str, Any]:
    backend = {"service": {"name": names.shortened(component.name), "port": {"number": serving_port(component)}}}
    return {"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}


def virtual_service(exposure: Exposure) -> Object:
    """Requests from the cluster come by any form of the local name, from outside by the hosts."""
    service, config = exposure.context.service, exposure.config
    short = f"{service.name}.{service.namespace}"
    local = f"{short}.svc.cluster.local"
    outside, public = ([], []) if exposure.internal else (exposure.hosts, [config.ingressGateway])
    inner = rf"^{re.escape(short)}(\.svc(\.cluster\.local)?)?(?::\d{{1,5}})?$"
    matches = [{"authority": {"regex": inner}, "gateways": [config.localGateway, "mesh"]}]
    matches += [
        {"authority": {"regex": rf"^{re.escape(host)}(?::\d{{1,5}})?$"}, "gateways": public} for host in outside
    ]
    gateway = {"host": config.knativeLocalGatewayService or config.localGatewayService, "port": {"number": 80}}
    target = f"{exposure.context.entry.name}.{service.namespace}.svc.cluster.local"
    route = {
        "match": matches,
        "route": [{"destination": gateway, "weight": 100}],
        "headers": {"request": {"set": {"Host": target}}},
    }
    spec = {"hosts": [local, *outside], "gateways": [config.localGateway, "mesh", *public], "http": [route]}
    described = {"labels": dict(service.metadata.labels), "annotations": public_annotations(exposure.context)}
    return _made(exposure, "networking.istio.io/v1beta1", "VirtualService", described, spec)
