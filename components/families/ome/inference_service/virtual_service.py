"""The VirtualService of a service that Knative serves behind Istio.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/builders/virtualservice_builder.go at v0.1.5.
"""

import re
from collections.abc import Sequence
from typing import Any

from ....kubernetes.objects import Object
from ..settings import Ingress
from .exposure import Exposure
from .labels import public_annotations


def virtual_service(exposure: Exposure) -> Object:
    service, config = exposure.identity.service, exposure.config
    local = f"{service.name}.{service.namespace}.svc.cluster.local"
    outside = [] if exposure.internal else [exposure.host(service.name), *exposure.more_hosts()]
    gateways = [config.localGateway, "mesh", *([] if exposure.internal else [config.ingressGateway])]
    target = f"{exposure.entry.name}.{service.namespace}.svc.cluster.local"
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
        "annotations": public_annotations(exposure.identity),
    }
    spec = {"hosts": [local, *outside], "gateways": gateways, "http": [route]}
    return {"apiVersion": "networking.istio.io/v1beta1", "kind": "VirtualService", "metadata": metadata, "spec": spec}


def _matches(local: str, outside: Sequence[str], config: Ingress) -> list[dict[str, Any]]:
    """Requests from the cluster by any form of the local name, from outside by the hosts."""
    short = local.removesuffix(".svc.cluster.local")
    inner = rf"^{re.escape(short)}(\.svc(\.cluster\.local)?)?(?::\d{{1,5}})?$"
    matches = [{"authority": {"regex": inner}, "gateways": [config.localGateway, "mesh"]}]
    for host in outside:
        regex = rf"^{re.escape(host)}(?::\d{{1,5}})?$"
        matches.append({"authority": {"regex": regex}, "gateways": [config.ingressGateway]})
    return matches
