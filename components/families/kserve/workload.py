"""The objects of decode and prefill: pods, their Service, accounts and rights, autoscaler."""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from ...kubernetes.propagation import Propagation
from . import autoscaler, deployment, leader_worker_set, names, service_account
from .context import Service, Workload
from .labels import metadata, propagation, workload_selector

SERVICE_PORT = 8000


def workload_role(workload: Workload) -> str:
    """The role of the workload's main object."""
    return f"{workload.role}-{'group' if workload.multi_node else 'deployment'}"


def objects(service: Service, workload: Workload) -> dict[str, Object]:
    """A workload's objects by role; what its pods need comes first, as objects are registered in this order."""
    kind = leader_worker_set.leader_worker_set if workload.multi_node else deployment.deployment
    main = kind(service, workload)
    before = {f"{workload.role}-{role}": obj for role, obj in service_account.objects(service, workload).items()}
    after = {f"{workload.role}-{role}": obj for role, obj in autoscaler.objects(service, workload, main).items()}
    return {**before, workload_role(workload): main, **after}


def targets(workload: Workload) -> tuple[str, dict[str, str]]:
    """Where labels and annotations go on the workload's main object and its pods."""
    return leader_worker_set.targets(workload) if workload.multi_node else deployment.targets(workload)


def layers(service: Service, workload: Workload) -> Propagation:
    return propagation(service, *targets(workload))


def workload_service(service: Service) -> Object:
    """The Service in front of all pods that take requests: of a group only the leader does."""
    scheme = _scheme(service)
    port: dict[str, Any] = {"name": scheme, "appProtocol": scheme, "protocol": "TCP"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(service, "workload parts", names.workload_service(service.name)),
        "spec": {
            "ports": [{**port, "port": SERVICE_PORT, "targetPort": SERVICE_PORT}],
            "selector": workload_selector(service),
            "type": "ClusterIP",
        },
    }


def address(service: Service) -> str:
    """Where the service answers inside the cluster, without a gateway."""
    host = f"{names.workload_service(service.name)}.{service.namespace}.svc.cluster.local"
    return f"{_scheme(service)}://{host}:{SERVICE_PORT}"


def _scheme(service: Service) -> str:
    return "https" if service.tls else "http"
