"""Why a live workload is not ready, according to its pods and the objects that create them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from ..findings import brief
from ..kubernetes.pod_reasons import (
    Reason,
    event_reason,
    event_time,
    failed_pods,
    has_failed,
    is_at_a_node,
    pod_reasons,
)
from ..kubernetes.status import failures
from ..kubernetes.values import mapping, mappings, value_at
from .connection import Cluster, ClusterError, Refused

_LABEL = {
    "Job": "batch.kubernetes.io/job-name",
    "JobSet": "jobset.sigs.k8s.io/jobset-name",
    "LeaderWorkerSet": "leaderworkerset.sigs.k8s.io/name",
    "RayCluster": "ray.io/cluster",
    "Service": "serving.knative.dev/service",
    "TrainJob": "jobset.sigs.k8s.io/jobset-name",
}
"""Kind to the label with which its controller puts its name on pods. A Deployment has a selector instead."""
_REPLACED = frozenset(["Deployment", "LeaderWorkerSet", "RayCluster", "Service"])
"""Kinds whose controllers replace a failed pod."""
_REVISION = "deployment.kubernetes.io/revision"
_TEMPLATE = ("pod-template-hash", "leaderworkerset.sigs.k8s.io/template-revision-hash")
_NO_LOG = "unable to retrieve container logs for "
"""Start of a kubelet's answer in place of the log of a container that it has removed."""
LOG_LINES = 10
LOG_BYTES = 1 << 16


class Namespace:
    """The contents of a namespace at one moment, each kind read when it is first needed.

    A kind that the user may not list is empty: less is reported, but nothing fails.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._where = f"namespaces/{quote(name, safe='')}"

    @cached_property
    def pods(self) -> list[Mapping[str, Any]]:
        """Pods that are not being deleted."""
        pods = self._list(f"/api/v1/{self._where}/pods")
        return [pod for pod in pods if not value_at(pod, "metadata", "deletionTimestamp")]

    @cached_property
    def makers(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """Kind of workload to all objects that create pods for workloads of that kind."""
        return {
            "Deployment": self._list(f"/apis/apps/v1/{self._where}/replicasets"),
            "JobSet": self._list(f"/apis/batch/v1/{self._where}/jobs"),
            "LeaderWorkerSet": self._list(f"/apis/apps/v1/{self._where}/statefulsets"),
        }

    @cached_property
    def events(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """Events by the uid of their object, oldest first."""
        events: dict[str, list[Mapping[str, Any]]] = {}
        for event in sorted(self._list(f"/api/v1/{self._where}/events"), key=event_time):
            events.setdefault(str(value_at(event, "involvedObject", "uid")), []).append(event)
        return events

    def _list(self, path: str) -> list[Mapping[str, Any]]:
        try:
            return mappings((self._cluster.get(path) or {}).get("items"))
        except Refused:
            return []


def workload_reasons(workload: Mapping[str, Any], namespace: Namespace, *, changed: bool | None = None) -> list[Reason]:
    """Why a live workload (with ``kind``) lacks ready pods: reasons of its pods and of what creates them.

    ``changed`` says whether an update has changed the workload: pods that failed since then count, even if others have
    replaced them. If it is False, failed pods don't count. Without an update (None), they count only as long as no node
    has taken another pod.
    """
    pods = pods_of(workload, namespace)
    is_replaced = workload["kind"] in _REPLACED
    failed = [pod for pod in pods if is_replaced and has_failed(pod, _about(pod, namespace))]
    there = [pod for pod in pods if pod not in failed]
    reasons = [reason for pod in there for reason in pod_reasons(pod, _about(pod, namespace))]
    if changed is not None:
        failed = _later(failed, workload) if changed else []
    elif reasons or any(map(is_at_a_node, there)):
        failed = []
    ended = failed_pods([(pod, _about(pod, namespace)) for pod in sorted(failed, key=_created)])
    return [*reasons, *ended, *_without_pods(workload, namespace, len(there))]


def earlier_pods(workload: Mapping[str, Any], namespace: Namespace) -> frozenset[str]:
    """The names of pods that existed when the workload was last changed."""
    pods = pods_of(workload, namespace)
    later = _later(pods, workload)
    return frozenset(pod["metadata"]["name"] for pod in pods if pod not in later)


def _later(pods: Sequence[Mapping[str, Any]], workload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Pods that were created after a workload was last applied. Both times are from the API server's clock."""
    writes = mappings(value_at(workload, "metadata", "managedFields"))
    applied = [str(write.get("time") or "") for write in writes if write.get("operation") == "Apply"]
    return [pod for pod in pods if _created(pod) >= max(applied, default="")]


def _created(pod: Mapping[str, Any]) -> str:
    return str(value_at(pod, "metadata", "creationTimestamp") or "")


def pods_of(workload: Mapping[str, Any], namespace: Namespace) -> list[Mapping[str, Any]]:
    """The pods of a workload's newest template. Those of an older template say nothing about an update."""
    labels = _labels(workload)
    pods = [pod for pod in namespace.pods if labels and labels.items() <= _labels_of(pod).items()]
    if workload["kind"] == "Deployment":
        current = _current_replica_set(workload, namespace)
        newest = value_at(current, "metadata", "labels", _TEMPLATE[0])
        return [pod for pod in pods if newest is None or _labels_of(pod).get(_TEMPLATE[0]) == newest]
    youngest = max(pods, key=_created, default={})
    newest = _labels_of(youngest).get(_TEMPLATE[1])
    return [pod for pod in pods if _labels_of(pod).get(_TEMPLATE[1]) == newest]


def _labels(workload: Mapping[str, Any]) -> Mapping[str, str]:
    if workload["kind"] == "Deployment":
        return mapping(value_at(workload, "spec", "selector", "matchLabels"))
    label = _LABEL.get(workload["kind"])
    return {label: workload["metadata"]["name"]} if label else {}


def _labels_of(obj: Mapping[str, Any]) -> Mapping[str, str]:
    return mapping(value_at(obj, "metadata", "labels"))


def _current_replica_set(workload: Mapping[str, Any], namespace: Namespace) -> Mapping[str, Any]:
    revision = value_at(workload, "metadata", "annotations", _REVISION)
    for made in _made_by(workload, namespace):
        if value_at(made, "metadata", "annotations", _REVISION) == revision:
            return made
    return {}


def _made_by(workload: Mapping[str, Any], namespace: Namespace) -> Iterator[Mapping[str, Any]]:
    labels = _labels(workload)
    for made in namespace.makers.get(workload["kind"], ()):
        if labels.items() <= _labels_of(made).items():
            yield made


def _about(obj: Mapping[str, Any], namespace: Namespace) -> Sequence[Mapping[str, Any]]:
    return namespace.events.get(str(value_at(obj, "metadata", "uid")), ())


def _without_pods(workload: Mapping[str, Any], namespace: Namespace, pods: int) -> Iterator[Reason]:
    """Why pods are not even created: a quota, an admission check that refuses them, an expired deadline."""
    makers = _made_by(workload, namespace)
    if current := _current_replica_set(workload, namespace):  # events of older ReplicaSets are no reason
        makers = iter([current])
    told: set[str] = set()
    for obj in (workload, *makers):
        if _lacks_pods(obj) or not pods:
            for event in [event for event in _about(obj, namespace) if event.get("type", "Warning") == "Warning"][-1:]:
                reason = event_reason(event)
                told.add(reason.reason)
                yield reason
    for failure in failures(mapping(workload.get("status"))):
        reason = event_reason({"reason": failure.reason or failure.type, "message": failure.message})
        if reason.reason not in told:  # the event also has a time
            yield reason


def _lacks_pods(obj: Mapping[str, Any]) -> bool:
    wanted, there = value_at(obj, "spec", "replicas"), value_at(obj, "status", "replicas")
    return isinstance(wanted, int) and (there if isinstance(there, int) else 0) < wanted


def last_lines(reason: Reason, namespace: str, cluster: Cluster) -> list[str]:
    """The last lines in a crashed container's log, escaped; empty if it can't be read."""
    if not reason.pod or not reason.container:
        return []
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(reason.pod, safe='')}/log"
    for previous in ("true", "false"):
        limits = {"tailLines": LOG_LINES, "limitBytes": LOG_BYTES}
        query = urlencode({"container": reason.container, **limits, "previous": previous})
        try:
            lines = cluster.text(f"{path}?{query}").splitlines()[-LOG_LINES:]
        except ClusterError:
            continue
        if lines and not lines[0].startswith(_NO_LOG):
            return [brief(line) for line in lines]
    return []
