"""HTTPRoute of a ModelService: requests that name the service in a header go to its pool.

Mirrors otterscale/model-operator internal/modelservice/httproute.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...kubernetes.endpoint_picker.inference_pool import GROUP
from ...kubernetes.metadata import metadata
from ...kubernetes.objects import Object
from .names import route_name
from .spec import HTTPRouteSpec

MODEL_HEADER = "OtterScale-Model-Name"

GATEWAY_GROUP = "gateway.networking.k8s.io"
GATEWAY_KIND = "Gateway"
GATEWAY_NAMESPACE = "llm-d"


def http_route(
    service: str,
    namespace: str,
    labels: Mapping[str, str],
    pool: str,
    parent: Mapping[str, Any],
    hostnames: Sequence[Any] = (),
    timeout: str | None = None,
) -> Object:
    """``parent`` refers to the gateway; ``timeout`` applies to the whole request and to the pool's answer."""
    rule: dict[str, Any] = {
        "matches": [
            {
                "headers": [{"name": MODEL_HEADER, "type": "Exact", "value": service}],
                "path": {"type": "PathPrefix", "value": "/"},
            }
        ],
        "backendRefs": [{"group": GROUP, "kind": "InferencePool", "name": pool}],
    }
    if timeout:
        rule["timeouts"] = {"request": timeout, "backendRequest": timeout}
    spec: dict[str, Any] = {"parentRefs": [dict(parent)], "rules": [rule]}
    if hostnames:
        spec["hostnames"] = list(hostnames)
    return {
        "apiVersion": f"{GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": metadata(route_name(service), namespace, labels),
        "spec": spec,
    }


def default_parent(gateway: str) -> dict[str, str]:
    return {"group": GATEWAY_GROUP, "kind": GATEWAY_KIND, "name": gateway, "namespace": GATEWAY_NAMESPACE}


def explicit_parent(route: HTTPRouteSpec, namespace: str) -> dict[str, str]:
    """``namespace`` is the route's, which a reference need not repeat."""
    gateway = route.gatewayRef
    elsewhere = {"namespace": gateway.namespace} if gateway.namespace not in ("", namespace) else {}
    return {"name": gateway.name, **elsewhere}
