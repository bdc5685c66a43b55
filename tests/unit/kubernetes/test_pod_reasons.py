"""Why pods are not ready, as their status and events say it."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.pod_reasons import Cause, Reason, event_reason, pod_reasons, summary

FULL = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."


def pod(*containers: dict[str, Any], field: str = "containerStatuses", **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "chat-1"}, "status": {field: list(containers), **status}}


def container(name: str = "server", **status: Any) -> dict[str, Any]:
    return {"name": name, "ready": False, "restartCount": 0, **status}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return container(state={"waiting": {"reason": reason, "message": message}})


def ended(reason: str, code: int, message: str = "") -> dict[str, Any]:
    return {"terminated": {"reason": reason, "exitCode": code, "message": message}}


UNSCHEDULED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": FULL}
LOOP = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s"}}
CASES: dict[str, tuple[dict[str, Any], list[tuple[Cause, str, str]]]] = {
    "ready": (pod(conditions=[{"type": "Ready", "status": "True"}]), []),
    "done": (pod(phase="Succeeded"), []),
    "nothing known yet": (pod(), []),
    "unscheduled": (pod(conditions=[UNSCHEDULED]), [(Cause.UNSCHEDULABLE, "Unschedulable", FULL)]),
    "gated": (
        pod(conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
        [(Cause.UNSCHEDULABLE, "SchedulingGated", "")],
    ),
    "evicted": (
        pod(phase="Failed", reason="Evicted", message="low on disk"),
        [(Cause.ERROR, "Evicted", "low on disk")],
    ),
    "pulls in vain": (
        pod(waiting("ImagePullBackOff", 'Back-off pulling image "a:1"')),
        [(Cause.ERROR, "ImagePullBackOff", 'container server: Back-off pulling image "a:1"')],
    ),
    "lacks a Secret": (
        pod(waiting("CreateContainerConfigError", 'secret "t" not found')),
        [(Cause.ERROR, "CreateContainerConfigError", 'container server: secret "t" not found')],
    ),
    "is being created": (pod(waiting("ContainerCreating")), []),
    "waits for its init containers": (pod(waiting("PodInitializing")), []),
    "crashes": (
        pod(container(restartCount=4, state=LOOP, lastState=ended("Error", 2, "no such\nflag"))),
        [(Cause.CRASH, "CrashLoopBackOff", "container server, exit code 2, restarted 4 times: no such flag")],
    ),
    "ran out of memory": (
        pod(container(restartCount=1, state={"running": {}}, lastState=ended("OOMKilled", 137))),
        [(Cause.CRASH, "OOMKilled", "container server, exit code 137, restarted once")],
    ),
    "crashed before": (
        pod(container(ready=True, restartCount=1, state={"running": {}}, lastState=ended("Error", 1))),
        [],
    ),
    "a job's pod failed": (
        pod(container(state=ended("Error", 1)), phase="Failed"),
        [(Cause.CRASH, "Error", "container server, exit code 1")],
    ),
    "the download fails": (
        pod(
            container("model", restartCount=3, state=LOOP, lastState=ended("Error", 22)), field="initContainerStatuses"
        ),
        [(Cause.CRASH, "CrashLoopBackOff", "container model, exit code 22, restarted 3 times")],
    ),
    "odd shapes": ({"metadata": None, "status": {"containerStatuses": [None, 5, {}], "conditions": "x"}}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_status_says(case: str) -> None:
    given, wanted = CASES[case]
    assert [(found.cause, found.reason, found.message) for found in pod_reasons(given)] == wanted


def test_an_event_counts_where_the_status_says_nothing() -> None:
    events = [{"reason": "FailedMount", "message": "no such volume"}, {"reason": "Unhealthy", "message": "HTTP 503"}]
    assert [str(found) for found in pod_reasons(pod(), events)] == ["Unhealthy: pod chat-1: HTTP 503"]
    assert [found.reason for found in pod_reasons(pod(waiting("ErrImagePull")), events)] == ["ErrImagePull"]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("FailedCreate", Cause.UNSCHEDULABLE),
        ("FailedScheduling", Cause.UNSCHEDULABLE),
        ("FailedMount", Cause.STARTING),
        ("FailedCreatePodSandBox", Cause.STARTING),
        ("Unhealthy", Cause.STARTING),
    ],
)
def test_what_an_event_means(reason: str, cause: Cause) -> None:
    assert event_reason({"reason": reason, "message": "m"}) == Reason(cause, reason, "m")


def test_many_pods_with_one_trouble_are_one_reason_and_the_gravest_comes_first() -> None:
    full = [Reason(Cause.UNSCHEDULABLE, "Unschedulable", FULL, f"chat-{number}") for number in (2, 1)]
    crash = Reason(Cause.CRASH, "OOMKilled", "m", "chat-3", "server", 2)
    assert summary([*full, crash]) == [crash, full[1]]
