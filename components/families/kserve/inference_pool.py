"""The InferencePool, in the APIs that the settings ask for."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .context import Service
from .labels import metadata, workload_selector
from .router_spec import InferencePoolSpec, PickerReference

GROUP = "inference.networking.k8s.io"
ALPHA_GROUP = "inference.networking.x-k8s.io"
PICKER_PORT = 9002
DEFAULT_PROTOCOL = "http"
"""Not written, as releases before 1.4 of the Inference Extension do not know the field."""


def pool_spec(service: Service) -> InferencePoolSpec:
    router = service.spec.router
    pool = router.scheduler.pool if router and router.scheduler else None
    return (pool.spec if pool else None) or InferencePoolSpec()


def picker(service: Service) -> PickerReference:
    return pool_spec(service).endpointPickerRef or PickerReference(name=names.picker_service(service.name))


def objects(service: Service) -> dict[str, Object]:
    """The pools by role."""
    makers = {"v1": ("inference-pool", _pool), "v1alpha2": ("inference-pool-v1alpha2", _alpha_pool)}
    return {makers[api][0]: makers[api][1](service) for api in dict.fromkeys(service.settings.inferencePoolApis)}


def route_group(service: Service) -> str:
    """The API group by which routes refer to the pool: a pool of the user's own is a v1 pool."""
    if service.pool_ref:
        return GROUP
    newest = "v1" if service.settings.inferencePoolApis == ["v1"] else "v1alpha2"
    return GROUP if (service.settings.gatewayResolves or newest) == "v1" else ALPHA_GROUP


def _selector(service: Service) -> dict[str, Any]:
    selector = pool_spec(service).selector
    return dict(selector.matchLabels) if selector and selector.matchLabels else dict(workload_selector(service))


def _ports(service: Service) -> list[int]:
    return [port.number for port in pool_spec(service).targetPorts] or [8000]


def _pool(service: Service) -> Object:
    reference = picker(service)
    protocol = pool_spec(service).appProtocol or DEFAULT_PROTOCOL
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "InferencePool",
        "metadata": metadata(service, "scheduler", names.inference_pool(service.name)),
        "spec": {
            **({"appProtocol": protocol} if protocol != DEFAULT_PROTOCOL else {}),
            "endpointPickerRef": {
                "group": reference.group,
                "kind": reference.kind,
                "name": reference.name,
                "port": {"number": _picker_port(reference)},
                "failureMode": reference.failureMode,
            },
            "selector": {"matchLabels": _selector(service)},
            "targetPorts": [{"number": port} for port in _ports(service)],
        },
    }


def _alpha_pool(service: Service) -> Object:
    reference = picker(service)
    return {
        "apiVersion": f"{ALPHA_GROUP}/v1alpha2",
        "kind": "InferencePool",
        "metadata": metadata(service, "scheduler", names.inference_pool(service.name)),
        "spec": {
            "extensionRef": {
                "group": reference.group,
                "kind": reference.kind,
                "name": reference.name,
                "portNumber": _picker_port(reference),
                "failureMode": reference.failureMode,
            },
            "selector": _selector(service),
            "targetPortNumber": _ports(service)[0],
        },
    }


def _picker_port(reference: PickerReference) -> int:
    return reference.port.number if reference.port else PICKER_PORT
