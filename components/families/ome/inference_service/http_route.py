"""The HTTPRoute of a service, where the platform has a Gateway.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/builders/httproute_builder.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from .. import names
from .exposure import Exposure
from .labels import VISIBILITY, public_annotations
from .service import serving_port


def http_route(exposure: Exposure) -> Object:
    service = exposure.identity.service
    namespace, _, gateway = exposure.config.omeIngressGateway.rpartition("/")
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": gateway}
    labels = {key: value for key, value in service.metadata.labels.items() if key != VISIBILITY}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {
            "name": service.name,
            "namespace": service.namespace,
            "labels": labels,
            "annotations": public_annotations(exposure.identity),
        },
        "spec": {
            "parentRefs": [{**parent, "namespace": namespace} if namespace else parent],
            "hostnames": [*dict.fromkeys([exposure.host(service.name), *exposure.more_hosts()])],
            "rules": [_route_rule(exposure)],
        },
    }


def _route_rule(exposure: Exposure) -> dict[str, Any]:
    service, entry = exposure.identity.service, exposure.entry
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
