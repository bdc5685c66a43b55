"""Why a live workload is not ready: what its pods, and those that make them, say."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from ..findings import brief
from ..kubernetes.pod_reasons import Reason, event_reason, pod_reasons, summary
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
"""Kind to the label by which its controller marks its pods with its name; a Deployment has a selector."""
_REVISION = "deployment.kubernetes.io/revision"
_TEMPLATE = ("pod-template-hash", "leaderworkerset.sigs.k8s.io/template-revision-hash")
"""Labels of pods that say which template they are made of."""
LOG_LINES = 10
LOG_BYTES = 1 << 16


class Namespace:
    """What was in a namespace at one moment, each kind read when it is first needed.

    What the user may not list is empty: then less is reported, and nothing fails.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._where = f"namespaces/{quote(name, safe='')}"

    @cached_property
    def pods(self) -> list[Mapping[str, Any]]:
        """Pods that are to stay."""
        found = self._list(f"/api/v1/{self._where}/pods")
        return [pod for pod in found if not value_at(pod, "metadata", "deletionTimestamp")]

    @cached_property
    def makers(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """Kind of workload to all objects that make pods for workloads of that kind."""
        return {
            "Deployment": self._list(f"/apis/apps/v1/{self._where}/replicasets"),
            "JobSet": self._list(f"/apis/batch/v1/{self._where}/jobs"),
            "LeaderWorkerSet": self._list(f"/apis/apps/v1/{self._where}/statefulsets"),
        }

    @cached_property
    def warnings(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """Events of type Warning by the uid of the object that they are about, oldest first."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for event in sorted(self._list(f"/api/v1/{self._where}/events?fieldSelector=type%3DWarning"), key=_time):
            found.setdefault(str(value_at(event, "involvedObject", "uid")), []).append(event)
        return found

    def _list(self, path: str) -> list[Mapping[str, Any]]:
        try:
            return mappings((self._cluster.get(path) or {}).get("items"))
        except Refused:
            return []


def _time(event: Mapping[str, Any]) -> str:
    last = value_at(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(last or value_at(event, "metadata", "creationTimestamp") or "")


def workload_reasons(workload: Mapping[str, Any], namespace: Namespace) -> list[Reason]:
    """Why a live workload (with ``kind``) lacks ready pods, the gravest reason first; one of each kind."""
    pods = pods_of(workload, namespace)
    found = [reason for pod in pods for reason in pod_reasons(pod, _about(pod, namespace))]
    return summary([*found, *_without_pods(workload, namespace, len(pods))])


def pods_of(workload: Mapping[str, Any], namespace: Namespace) -> list[Mapping[str, Any]]:
    """The pods of a workload's newest template: those of an older one say nothing about an update."""
    labels = _labels(workload)
    pods = [pod for pod in namespace.pods if labels and labels.items() <= _labels_of(pod).items()]
    if workload["kind"] == "Deployment":
        current = _current_replica_set(workload, namespace)
        newest = value_at(current, "metadata", "labels", _TEMPLATE[0])
        return [pod for pod in pods if newest is None or _labels_of(pod).get(_TEMPLATE[0]) == newest]
    youngest = max(pods, key=lambda pod: str(value_at(pod, "metadata", "creationTimestamp") or ""), default={})
    newest = _labels_of(youngest).get(_TEMPLATE[1])
    return [pod for pod in pods if _labels_of(pod).get(_TEMPLATE[1]) == newest]


def _labels(workload: Mapping[str, Any]) -> Mapping[str, str]:
    """The labels of all pods of a workload."""
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
    """The ReplicaSets, StatefulSets or Jobs that make the workload's pods."""
    labels = _labels(workload)
    for made in namespace.makers.get(workload["kind"], ()):
        if labels.items() <= _labels_of(made).items():
            yield made


def _about(obj: Mapping[str, Any], namespace: Namespace) -> Sequence[Mapping[str, Any]]:
    return namespace.warnings.get(str(value_at(obj, "metadata", "uid")), ())


def _without_pods(workload: Mapping[str, Any], namespace: Namespace, pods: int) -> Iterator[Reason]:
    """Why pods are not even made: a quota, an admission that refuses them, a deadline that has passed."""
    for failure in failures(mapping(workload.get("status"))):
        yield event_reason({"reason": failure.reason or failure.type, "message": failure.message})
    for obj in (workload, *_made_by(workload, namespace)):
        if _lacks_pods(obj) or not pods:
            yield from (event_reason(event) for event in _about(obj, namespace)[-1:])


def _lacks_pods(obj: Mapping[str, Any]) -> bool:
    wanted, there = value_at(obj, "spec", "replicas"), value_at(obj, "status", "replicas")
    return isinstance(wanted, int) and (there if isinstance(there, int) else 0) < wanted


def last_lines(reason: Reason, namespace: str, cluster: Cluster) -> list[str]:
    """The last lines that a crashed container wrote, escaped; none where they can't be read."""
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
        if lines:
            return [brief(line) for line in lines]
    return []
