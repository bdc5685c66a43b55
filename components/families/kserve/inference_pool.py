"""The InferencePool, in the APIs that the settings name.

Decisions: K3 (docs/decisions).
"""

from typing import Any

from ...kubernetes.endpoint_picker.inference_pool import (
    ALPHA_GROUP,
    EXT_PROC_PORT,
    GROUP,
    Picker,
    alpha_inference_pool,
    extension_reference,
    inference_pool,
    picker_reference,
)
from ...kubernetes.model import defaults
from ...kubernetes.objects import Object
from . import names
from .context import Service
from .labels import metadata, workload_selector
from .listening import SERVING_PORT, serving_port
from .router_spec import InferencePoolSpec, PickerReference
from .scheduler_arguments import picker_flags

ROLES = ("inference-pool", "inference-pool-v1alpha2")
_APIS = {GROUP: "v1", ALPHA_GROUP: "v1alpha2"}
DEFAULT_PROTOCOL = "http"
"""Not written, because releases of the Inference Extension before 1.4 don't know the field."""


def pool_spec(service: Service) -> InferencePoolSpec:
    return (service.scheduler.pool and service.scheduler.pool.spec) or defaults(InferencePoolSpec)


def picker(service: Service) -> PickerReference:
    return pool_spec(service).endpointPickerRef or PickerReference(name=names.picker_service(service.name))


def objects(service: Service) -> dict[str, Object]:
    """The pools by role: in the APIs of the settings, and in the API that the picker reads."""
    makers = {"v1": (ROLES[0], _pool), "v1alpha2": (ROLES[1], _alpha_pool)}
    read = _APIS.get(picker_flags(service).get("--pool-group") or "")
    apis: dict[str, None] = dict.fromkeys([*service.settings.inferencePoolApis, *([read] if read else [])])
    return {makers[api][0]: makers[api][1](service) for api in apis}


def route_group(service: Service) -> str:
    """The API group by which routes refer to the pool. A user's pool is assumed to be a v1 pool."""
    if service.pool_ref:
        return GROUP
    newest = "v1" if service.settings.inferencePoolApis == ["v1"] else "v1alpha2"
    return GROUP if (service.settings.gatewayResolves or newest) == "v1" else ALPHA_GROUP


def _selector(service: Service) -> dict[str, Any]:
    selector = pool_spec(service).selector
    return dict(selector.matchLabels) if selector and selector.matchLabels else dict(workload_selector(service))


def _ports(service: Service) -> list[int]:
    """The spec's ports; the port on which the pods take requests replaces the preset's."""
    serving = serving_port(service, service.decode)
    ports = [port.number for port in pool_spec(service).targetPorts] or [SERVING_PORT]
    return [serving if port == SERVING_PORT else port for port in ports]


def _pool(service: Service) -> Object:
    protocol = pool_spec(service).appProtocol or DEFAULT_PROTOCOL
    spec = {
        **({"appProtocol": protocol} if protocol != DEFAULT_PROTOCOL else {}),
        "endpointPickerRef": picker_reference(_picker(service)),
        "selector": {"matchLabels": _selector(service)},
        "targetPorts": [{"number": port} for port in _ports(service)],
    }
    return inference_pool(metadata(service, "scheduler", names.inference_pool(service.name)), spec)


def _alpha_pool(service: Service) -> Object:
    spec = {
        "extensionRef": extension_reference(_picker(service)),
        "selector": _selector(service),
        "targetPortNumber": _ports(service)[0],
    }
    return alpha_inference_pool(metadata(service, "scheduler", names.inference_pool(service.name)), spec)


def _picker(service: Service) -> Picker:
    reference = picker(service)
    port = reference.port.number if reference.port else EXT_PROC_PORT
    return Picker(reference.name, port, reference.failureMode, reference.group, reference.kind)
