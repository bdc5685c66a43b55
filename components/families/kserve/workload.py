"""The objects of decode and prefill: pods, accounts and rights, autoscaler.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload.go at v0.20.0-rc0.
"""

from collections.abc import Iterator
from dataclasses import replace

from ...kubernetes.objects import Object
from ...kubernetes.propagation import Propagation
from ...kubernetes.rendered import RenderedObject, owned_records
from . import deployment, leader_worker_set, service_account
from .context import Service, Workload
from .horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .labels import propagation
from .scaled_object import scaled_object


def workload_role(workload: Workload) -> str:
    """The role of the workload's main object."""
    return f"{workload.role}-{'group' if workload.multi_node else 'deployment'}"


def records(service: Service, workload: Workload) -> Iterator[RenderedObject]:
    """A workload's objects; what its pods need comes first, as objects are registered in this order."""
    kind = leader_worker_set.leader_worker_set if workload.multi_node else deployment.deployment
    main = kind(service, workload)
    before = {f"{workload.role}-{role}": obj for role, obj in service_account.objects(service, workload).items()}
    after = {f"{workload.role}-{role}": obj for role, obj in _autoscaler(service, workload, main).items()}
    yield from owned_records(before)
    (record,) = owned_records({workload_role(workload): main}, replicas=replicas_path(service))
    yield replace(record, layers=layers(service, workload))
    yield from owned_records(after)


def replicas_path(service: Service) -> str:
    """The field that says how many pods a service has."""
    return "spec.scaling.maxReplicas" if service.spec.scaling else "spec.replicas"


def _autoscaler(service: Service, workload: Workload, target: Object) -> dict[str, Object]:
    """What scales the Deployment or LeaderWorkerSet: by the Workload Variant Autoscaler, or by KEDA triggers."""
    scaling = workload.spec.scaling
    if scaling is None:
        return {}
    reference = {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": target["metadata"]["name"]}
    if scaling.wva and scaling.wva.hpa:
        return {"hpa": horizontal_pod_autoscaler(service, workload, scaling, scaling.wva, reference)}
    return {"keda": scaled_object(service, workload, scaling, reference)}


def targets(workload: Workload) -> tuple[str, dict[str, str]]:
    """Where labels and annotations go on the workload's main object and its pods."""
    return leader_worker_set.targets(workload) if workload.multi_node else deployment.targets(workload)


def layers(service: Service, workload: Workload) -> Propagation:
    return propagation(service, *targets(workload))
