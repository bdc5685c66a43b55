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


def ingress(exposure: Exposure) -> Object:
    service = exposure.identity.service
    metadata: dict[str, Any] = {"name": service.name, "namespace": service.namespace}
    if exposure.identity.annotations:
        metadata["annotations"] = dict(exposure.identity.annotations)
    rules = [_ingress_rule(exposure.host(service.name), exposure.entry)]
    if set(exposure.components) != {"engine"}:
        order = [exposure.components[role] for role in ("router", "engine", "decoder") if role in exposure.components]
        rules += [_ingress_rule(exposure.host(component.name), component) for component in order]
    spec: dict[str, Any] = {"rules": rules}
    if exposure.config.ingressClassName:
        spec["ingressClassName"] = exposure.config.ingressClassName
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}


def _ingress_rule(host: str, component: Component) -> dict[str, Any]:
    backend = {"service": {"name": names.shortened(component.name), "port": {"number": serving_port(component)}}}
    return {"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
