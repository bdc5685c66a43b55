"""Which pods and events tell why a workload is not ready. Not proven here: that an API server answers so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster, Refused
from modelservices.cluster.service_status import may_lack_pods, status_with_reasons
from modelservices.cluster.workload_pods import Namespace, last_lines, workload_reasons
from modelservices.kubernetes.pod_reasons import Cause, Reason
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.kubernetes.status import Condition, ServiceStatus

WHERE = "/api/v1/namespaces/inference"
LISTS = {
    "pods": f"{WHERE}/pods",
    "events": f"{WHERE}/events",
    "replicasets": "/apis/apps/v1/namespaces/inference/replicasets",
    "statefulsets": "/apis/apps/v1/namespaces/inference/statefulsets",
    "jobs": "/apis/batch/v1/namespaces/inference/jobs",
}


class Answers:
    """A cluster that answers with lists and texts; what is not there is refused."""

    def __init__(self, texts: Mapping[str, str] | None = None, **lists: list[Mapping[str, Any]]) -> None:
        self.lists = {LISTS[name]: items for name, items in lists.items()}
        self.texts = texts or {}

    def get(self, path: str) -> Mapping[str, Any]:
        if path not in self.lists:
            raise Refused(403, "forbidden", path)
        return {"items": self.lists[path]}

    def text(self, path: str) -> str:
        if path not in self.texts:
            raise Refused(404, "not found", path)
        return self.texts[path]


def pod(name: str, reason: str, created: str = "1", **labels: str) -> dict[str, Any]:
    status = {"name": "server", "state": {"waiting": {"reason": reason, "message": "m"}}}
    metadata = {"name": name, "uid": name, "labels": labels, "creationTimestamp": created}
    return {"metadata": metadata, "status": {"containerStatuses": [status]}}


def replica_set(revision: str, template: str, **status: Any) -> dict[str, Any]:
    metadata = {
        "name": template,
        "uid": template,
        "labels": {"app": "chat", "pod-template-hash": template},
        "annotations": {"deployment.kubernetes.io/revision": revision},
    }
    return {"metadata": metadata, "spec": {"replicas": 1}, "status": status}


def event(about: str, reason: str, at: str = "1") -> dict[str, Any]:
    return {"involvedObject": {"uid": about}, "reason": reason, "message": f"{reason}!", "lastTimestamp": at}


def workload(kind: str, **status: Any) -> dict[str, Any]:
    annotations = {"deployment.kubernetes.io/revision": "2"}
    spec = {"selector": {"matchLabels": {"app": "chat"}}, "replicas": 1}
    metadata = {"name": "chat", "uid": "w", "annotations": annotations}
    return {"kind": kind, "metadata": metadata, "spec": spec, "status": status}


def reasons(obj: Mapping[str, Any], **lists: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    namespace = Namespace(cast(Cluster, Answers(**lists)), "inference")
    return [(found.reason, found.pod) for found in workload_reasons(obj, namespace)]


def test_pods_of_an_older_template_say_nothing_about_an_update() -> None:
    pods = [
        pod("old", "CrashLoopBackOff", app="chat", **{"pod-template-hash": "a"}),
        pod("new", "ImagePullBackOff", app="chat", **{"pod-template-hash": "b"}),
        pod("other", "ErrImagePull", app="other", **{"pod-template-hash": "b"}),
    ]
    sets = [replica_set("1", "a", replicas=1), replica_set("2", "b", replicas=1)]
    assert reasons(workload("Deployment"), pods=pods, replicasets=sets) == [("ImagePullBackOff", "new")]


def test_pods_that_are_being_deleted_say_nothing() -> None:
    leaving = pod("old", "CrashLoopBackOff", app="chat")
    leaving["metadata"]["deletionTimestamp"] = "2"
    assert reasons(workload("Deployment"), pods=[leaving], replicasets=[]) == []


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Job", "batch.kubernetes.io/job-name"),
        ("JobSet", "jobset.sigs.k8s.io/jobset-name"),
        ("LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/name"),
        ("RayCluster", "ray.io/cluster"),
        ("Service", "serving.knative.dev/service"),
        ("TrainJob", "jobset.sigs.k8s.io/jobset-name"),
    ],
)
def test_every_kind_finds_its_pods(kind: str, label: str) -> None:
    pods = [pod("own", "ErrImagePull", **{label: "chat"}), pod("other", "ErrImagePull", **{label: "chat-1"})]
    assert reasons(workload(kind), pods=pods) == [("ErrImagePull", "own")]


def test_of_groups_the_newest_template_counts() -> None:
    label, revision = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/template-revision-hash"
    old = pod("old", "CrashLoopBackOff", "2026-01-01T00:00:00Z", **{label: "chat", revision: "a"})
    new = pod("new", "ErrImagePull", "2026-01-02T00:00:00Z", **{label: "chat", revision: "b"})
    assert reasons(workload("LeaderWorkerSet"), pods=[old, new]) == [("ErrImagePull", "new")]


def test_a_quota_is_told_by_those_that_make_pods() -> None:
    sets = [replica_set("2", "b", replicas=0)]
    events = [event("b", "FailedCreate"), event("else", "FailedCreate")]
    assert reasons(workload("Deployment"), pods=[], replicasets=sets, events=events) == [("FailedCreate", "")]
    full = [replica_set("2", "b", replicas=1)]
    there = [pod("chat-1", "ErrImagePull", app="chat", **{"pod-template-hash": "b"})]
    assert reasons(workload("Deployment"), pods=there, replicasets=full, events=events) == [("ErrImagePull", "chat-1")]


def test_a_job_whose_pods_are_refused() -> None:
    assert reasons(workload("Job"), pods=[], events=[event("w", "FailedCreate")]) == [("FailedCreate", "")]


def test_the_last_event_of_a_pod_counts() -> None:
    starting = {**pod("chat-1", "", app="chat"), "status": {}}
    events = [event("chat-1", "Unhealthy", "2026-01-02"), event("chat-1", "FailedMount", "2026-01-01")]
    assert reasons(workload("Deployment"), pods=[starting], replicasets=[], events=events) == [("Unhealthy", "chat-1")]


def test_who_may_not_list_is_told_less() -> None:
    refused = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}
    assert reasons(workload("Deployment", conditions=[refused])) == [("FailedCreate", "")]


def test_the_last_lines_are_those_of_the_container_that_crashed() -> None:
    reason = Reason(Cause.CRASH, "CrashLoopBackOff", "", "chat-1", "server", 3)
    log = f"{WHERE}/pods/chat-1/log?container=server&tailLines=10&limitBytes=65536&previous="
    assert last_lines(reason, "inference", cast(Cluster, Answers({f"{log}true": "a\nb\n"}))) == ["a", "b"]
    assert last_lines(reason, "inference", cast(Cluster, Answers({f"{log}false": "now\n"}))) == ["now"]
    assert last_lines(reason, "inference", cast(Cluster, Answers())) == []


def test_a_log_that_is_gone_is_no_last_line() -> None:
    reason = Reason(Cause.CRASH, "CrashLoopBackOff", "", "chat-1", "server", 3)
    log = f"{WHERE}/pods/chat-1/log?container=server&tailLines=10&limitBytes=65536&previous="
    gone = "unable to retrieve container logs for containerd://5f"
    assert last_lines(reason, "inference", cast(Cluster, Answers({f"{log}true": gone, f"{log}false": "a\n"}))) == ["a"]
    assert last_lines(reason, "inference", cast(Cluster, Answers({f"{log}true": gone}))) == []


def failed(name: str, reason: str, created: str) -> dict[str, Any]:
    metadata = {"name": name, "uid": name, "labels": {"app": "chat"}, "creationTimestamp": created}
    return {"metadata": metadata, "status": {"phase": "Failed", "reason": reason, "message": "m"}}


def all_reasons(obj: Mapping[str, Any], changed: bool | None, *pods: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    namespace = Namespace(cast(Cluster, Answers(pods=list(pods), replicasets=[])), "inference")
    found = workload_reasons(obj, namespace, changed=changed)
    return [(reason.reason, reason.pod, reason.crashes) for reason in found]


def test_a_failed_pod_that_was_replaced_counts_for_nothing() -> None:
    old = failed("old", "Evicted", "2026-01-01T00:00:00Z")
    running = {**pod("new", "", app="chat"), "status": {"startTime": "2026-01-02T00:00:00Z"}}
    waiting = {**pod("new", "", app="chat"), "status": {}}
    assert all_reasons(workload("Deployment"), None, old, running) == []
    assert all_reasons(workload("Deployment"), None, old, waiting) == [("Evicted", "old", 1)]
    assert all_reasons(workload("Deployment"), False, old, waiting) == []


def test_pods_that_fail_one_after_the_other_since_the_change_are_counted() -> None:
    times = [f"2026-01-01T00:00:0{second}Z" for second in range(4)]
    pods = [failed(f"chat-{number}", "SysctlForbidden", at) for number, at in enumerate(times)]
    obj = workload("Deployment")
    obj["metadata"]["managedFields"] = [
        {"operation": "Apply", "time": times[1]},
        {"operation": "Update", "time": times[3]},
    ]
    assert all_reasons(obj, True, *pods) == [("SysctlForbidden", "chat-3", 3)]


def test_an_evicted_pod_has_failed_although_its_server_ended_well() -> None:
    """A server that ends with 0 when it is told to: its pod is Succeeded, and only an event tells of the eviction."""
    ended = [{**failed(f"chat-{number}", "", "1"), "status": {"phase": "Succeeded"}} for number in range(3)]
    told = [event("chat-0", "Evicted"), event("chat-1", "Evicted"), event("chat-2", "Killing")]
    namespace = Namespace(cast(Cluster, Answers(pods=ended, replicasets=[], events=told)), "inference")
    (reason,) = workload_reasons(workload("Deployment"), namespace, changed=True)
    assert (reason.cause, reason.reason, reason.pod, reason.crashes) == (Cause.CRASH, "Evicted", "chat-1", 2)


def test_an_event_of_an_older_replica_set_is_no_reason() -> None:
    sets = [replica_set("1", "a", replicas=0), replica_set("2", "b", replicas=1)]
    there = {**pod("chat-1", "", app="chat", **{"pod-template-hash": "b"}), "status": {}}
    events = [event("a", "FailedCreate")]
    assert reasons(workload("Deployment"), pods=[there], replicasets=sets, events=events) == []


CREATING = Condition("Progressing", "True", "Creating", "0/1")


def rendered(phase: str) -> RenderedComponent:
    seen = ServiceStatus(phase, conditions=(CREATING,))
    return RenderedComponent("C", "K", "inference", "chat", observe=lambda live: seen)


def test_what_keeps_pods_from_being_ready_comes_first() -> None:
    found = [
        Reason(Cause.STARTING, "Unhealthy", "HTTP 503", "chat-2"),
        Reason(Cause.ERROR, "ErrImagePull", "m", "chat-1"),
    ]
    status = status_with_reasons(rendered("Creating"), {}, found)
    message = "pod chat-1: m; Unhealthy: pod chat-2: HTTP 503"
    assert status.conditions == (Condition("PodsReady", "False", "ErrImagePull", message), CREATING)
    assert status.explanation == f"ErrImagePull: {message}"


def test_a_service_whose_new_pods_can_t_start_is_not_ready_although_the_old_ones_serve() -> None:
    failing = Reason(Cause.ERROR, "ErrImagePull", "m", "chat-1")
    rolling = {"deployment": {"replicas": 2, "updatedReplicas": 1}}
    status = status_with_reasons(rendered("Ready"), rolling, [failing])
    assert (status.phase, status.reason) == ("Progressing", "ErrImagePull")
    starting = Reason(Cause.STARTING, "Unhealthy", "HTTP 503", "chat-2")
    assert status_with_reasons(rendered("Ready"), rolling, [starting]).phase == "Ready"
    assert status_with_reasons(rendered("Stopped"), rolling, [failing]).phase == "Stopped"


def test_a_follower_that_is_not_ready_takes_nothing_from_a_service_that_one_ready_pod_serves() -> None:
    failing = Reason(Cause.ERROR, "Unhealthy", "m", "picker-2")
    followers = {"deployment": {"replicas": 3, "updatedReplicas": 3}}
    assert status_with_reasons(rendered("Ready"), followers, [failing]).phase == "Ready"


@pytest.mark.parametrize(
    ("counts", "asked"),
    [
        ((2, 2, 2), False),
        ((2, 2, 1), True),
        ((3, 1, 2), True),  # two old pods serve, the new one does not start
        ((2, 0, 2), True),  # no new pod is even made
        ((0, 0, 0), True),
    ],
)
def test_pods_are_asked_unless_all_are_new_and_ready(counts: tuple[int, int, int], asked: bool) -> None:
    fields = zip(("replicas", "updatedReplicas", "readyReplicas"), counts, strict=True)
    # API servers leave out zeros.
    assert may_lack_pods({"spec": {"replicas": 2}, "status": {field: n for field, n in fields if n}}) is asked


def test_the_pods_of_what_has_no_replicas_are_asked() -> None:
    assert may_lack_pods({"spec": {}, "status": {"readyReplicas": 1}})
