"""The status of a service from its live workloads, with the reasons that its pods give."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..findings import brief
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_reasons import Cause, Reason, summary
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.status import FINE, PODS_READY, Condition, ServiceStatus, counter
from ..kubernetes.values import mapping, mappings, value_at
from .connection import Cluster
from .workload_pods import Namespace, workload_reasons

WORKLOADS = frozenset(["Deployment", "Job", "JobSet", "LeaderWorkerSet", "RayCluster", "Service", "TrainJob"])
_SHOWN = 3


def read_status(service: RenderedComponent, cluster: Cluster) -> ServiceStatus:
    """The current status of a service. Raises ClusterError."""
    live: dict[str, Mapping[str, Any]] = {}
    reasons: list[Reason] = []
    namespace = Namespace(cluster, service.namespace)
    for role, obj in workloads(service):
        workload = cluster.read(key(obj))
        if workload is None:
            continue
        live[role] = mapping(workload.get("status"))
        if may_lack_pods(workload):
            reasons += workload_reasons({**workload, "kind": obj["kind"]}, namespace)
    status = status_with_reasons(service, live, reasons)
    return status if status.endpoint else replace(status, endpoint=_gateway_address(service, cluster))


def workloads(service: RenderedComponent, prefix: str = "") -> Iterator[tuple[str, Object]]:
    """The objects whose status is read, by role; those of parts as ``part/role``."""
    for role, obj in service.objects.items():
        if obj["kind"] in WORKLOADS:
            yield f"{prefix}{role}", obj
    for role, part in service.parts.items():
        yield from workloads(part, f"{prefix}{role}/")


def may_lack_pods(workload: Mapping[str, Any]) -> bool:
    """Whether a workload's pods are worth reading: not if there are as many as wanted, all new and ready.

    In a rolling update the old pods are ready while the new ones can't start.
    """
    wanted, status = value_at(workload, "spec", "replicas"), mapping(workload.get("status"))
    there, new, ready = (counter(status, field) for field in ("replicas", "updatedReplicas", "readyReplicas"))
    return not isinstance(wanted, int) or not (ready >= wanted and new >= wanted and there <= wanted)


def status_with_reasons(
    service: RenderedComponent, live: Mapping[str, Mapping[str, Any]], reasons: Sequence[Reason]
) -> ServiceStatus:
    """The family's status of the live workloads. Its first condition says what keeps the pods from being ready."""
    if service.observe is None:
        return ServiceStatus(phase="Unknown")
    summarized = summary(reasons)
    messages = [reason.message for reason in summarized if reason.cause is Cause.UNSCHEDULABLE]
    status = service.observe({**live, "pods": {"schedulingMessages": messages}} if messages else live)
    if not summarized or (status.phase in FINE and not _fails(status, live, summarized[0])):
        return status
    phase = "Progressing" if status.phase in FINE else status.phase
    return replace(status, phase=phase, conditions=(_condition(summarized), *status.conditions))


def _fails(status: ServiceStatus, live: Mapping[str, Mapping[str, Any]], worst: Reason) -> bool:
    """Whether old pods serve while the new ones can't start. Without old pods the family's status holds: of several
    endpoint pickers only the leader is ready."""
    old = any(counter(each, "replicas") > counter(each, "updatedReplicas") for each in live.values())
    return old and status.phase == "Ready" and worst.cause is not Cause.STARTING


def _condition(reasons: Sequence[Reason]) -> Condition:
    first, *others = reasons[:_SHOWN]
    message = "; ".join([first.message_with_pod, *map(str, others)])
    return Condition(PODS_READY, "False", first.reason, message)


def _gateway_address(service: RenderedComponent, cluster: Cluster) -> str:
    """The address of the gateway of a service's route, for a route that names no host."""
    for obj in service.objects.values():
        for parent in mappings(value_at(obj, "spec", "parentRefs")) if obj["kind"] == "HTTPRoute" else ():
            where = parent.get("namespace") or service.namespace
            gateway = cluster.read(Key("gateway.networking.k8s.io/v1", "Gateway", where, str(parent.get("name"))))
            for address in mappings(value_at(gateway, "status", "addresses")):
                return f"http://{brief(address.get('value'), 253)}"
    return ""
