"""How a service is reached from outside: Ingress, HTTPRoute or VirtualService, and its host names.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/builders/ingress_builder.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from .. import names
from .component import Component
from .exposure import Exposure
from .service import serving_port


def ingress(found: Exposure) -> Object:
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
