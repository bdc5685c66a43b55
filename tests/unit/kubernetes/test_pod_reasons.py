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
    ("reason", "message", "cause"),
    [
        ("FailedCreate", 'pods "a" is forbidden: exceeded quota: gpus', Cause.UNSCHEDULABLE),
        ("FailedCreate", "failed calling webhook", Cause.UNSCHEDULABLE),
        ("FailedCreate", 'pods "a" is forbidden: violates PodSecurity "restricted:latest"', Cause.ERROR),
        ("FailedScheduling", "no node", Cause.UNSCHEDULABLE),
        ("FailedMount", 'MountVolume.SetUp failed for volume "t" : secret "t" not found', Cause.ERROR),
        ("FailedMount", 'MountVolume.SetUp failed for volume "t" : configmap "t" not found', Cause.ERROR),
        ("FailedMount", "mount failed: exit status 32", Cause.NODE),
        ("FailedCreatePodSandBox", 'failed to get sandbox runtime: no runtime for "nvidia" is configured', Cause.ERROR),
        ("FailedCreatePodSandBox", "network plugin is not ready", Cause.NODE),
        ("Unhealthy", "HTTP 503", Cause.STARTING),
    ],
)
def test_what_an_event_means(reason: str, message: str, cause: Cause) -> None:
    assert event_reason({"reason": reason, "message": message}) == Reason(cause, reason, message)


def event(reason: str, at: int, message: str = "m", container: str = "server", **fields: Any) -> dict[str, Any]:
    about = {"fieldPath": f"spec.containers{{{container}}}"}
    kind = "Warning" if reason in ("Failed", "FailedMount", "Unhealthy") else "Normal"
    given = {"type": kind, "reason": reason, "message": message, "involvedObject": about, **fields}
    return {**given, "lastTimestamp": f"2026-01-01T00:00:{at:02}Z"}


def test_an_image_that_is_being_pulled_again_is_starting() -> None:
    stuck = pod(waiting("ImagePullBackOff", "m"))
    pulling = [event("Failed", 1), event("Pulling", 2, "Pulling image a:1")]
    assert [str(found) for found in pod_reasons(stuck, pulling)] == [
        "Pulling: pod chat-1: container server: Pulling image a:1"
    ]
    assert pod_reasons(stuck, pulling)[0].cause is Cause.STARTING
    (failing,) = pod_reasons(stuck, [event("Pulling", 1), event("Failed", 2, count=3)])
    assert (failing.cause, failing.stamp) == (Cause.ERROR, "2026-01-01T00:00:02Z/3")


@pytest.mark.parametrize(
    ("code", "message", "shown"),
    [
        (0, "Startup probe failed: HTTP 503", True),
        (137, "Liveness probe failed: timeout", True),
        (0, "Readiness probe failed: HTTP 503", False),
        (2, "Startup probe failed: connection refused", False),  # ended by itself
    ],
)
def test_the_probe_that_ended_a_container_says_why(code: int, message: str, shown: bool) -> None:
    ending = ended("Completed" if code == 0 else "Error", code)
    looping = pod(container(restartCount=2, state=LOOP, lastState=ending))
    (found,) = pod_reasons(looping, [event("Unhealthy", 1, message)])
    assert found.message.endswith(message) is shown
    assert (found.reason == "Unhealthy") is shown


def test_a_message_that_is_the_end_of_a_log_keeps_its_end() -> None:
    log = "\n".join(["loading"] * 200 + ["error: no such file"])
    (found,) = pod_reasons(pod(container(restartCount=3, state=LOOP, lastState=ended("Error", 1, log))))
    assert found.message.endswith("loading error: no such file")


def test_a_warning_is_past_when_the_pod_goes_on() -> None:
    unmounted = event("FailedMount", 1, 'secret "t" not found')
    assert [found.reason for found in pod_reasons(pod(), [unmounted])] == ["FailedMount"]
    assert pod_reasons(pod(), [unmounted, event("Pulled", 2)]) == []
    ready = pod(conditions=[{"type": "PodReadyToStartContainers", "status": "True"}])
    assert pod_reasons(ready, [unmounted]) == []


def test_many_pods_with_one_trouble_are_one_reason_and_the_gravest_comes_first() -> None:
    full = [Reason(Cause.UNSCHEDULABLE, "Unschedulable", FULL, f"chat-{number}") for number in (2, 1)]
    crash = Reason(Cause.CRASH, "OOMKilled", "m", "chat-3", "server", 2)
    assert summary([*full, crash]) == [crash, full[1]]
