"""Pods that go on serving while they are taken away. Not proved here: that an image has /bin/sleep."""

from typing import Any

import pytest
from pydantic import ValidationError

from modelservices.kubernetes.finishing import DrainSettings, with_drain

SERVER = {"name": "main", "ports": [{"containerPort": 8000}]}
WAIT = {"preStop": {"exec": {"command": ["/bin/sleep", "15"]}}}


def sleep(_: object, seconds: int) -> list[str]:
    return ["/bin/sleep", str(seconds)]


def drained(pod: dict[str, Any], kind: str = "Deployment", **seconds: int) -> dict[str, Any]:
    obj = {"kind": kind, "metadata": {}, "spec": {"template": {"spec": pod}}}
    return with_drain(obj, DrainSettings.model_validate(seconds), sleep)["spec"]["template"]["spec"]


def test_a_server_waits_within_its_grace_period() -> None:
    helper = {"name": "exporter"}
    assert drained({"containers": [SERVER, helper]}) == {
        "terminationGracePeriodSeconds": 60,
        "containers": [{**SERVER, "lifecycle": WAIT}, helper],
    }


def test_the_seconds_are_a_setting() -> None:
    pod = drained({"containers": [SERVER]}, preStopSeconds=20, terminationGracePeriodSeconds=600)
    assert pod["terminationGracePeriodSeconds"] == 600
    assert pod["containers"][0]["lifecycle"] == {"preStop": {"exec": {"command": ["/bin/sleep", "20"]}}}
    assert drained({"containers": [SERVER]}, preStopSeconds=0) == {"containers": [SERVER]}


def test_what_the_manifest_says_takes_precedence() -> None:
    started = {**SERVER, "lifecycle": {"postStart": {"exec": {"command": ["date"]}}}}
    pod = drained({"terminationGracePeriodSeconds": 300, "containers": [started]})
    assert pod["terminationGracePeriodSeconds"] == 300
    assert pod["containers"][0]["lifecycle"] == {**started["lifecycle"], **WAIT}


@pytest.mark.parametrize(
    "pod",
    [
        {"containers": [{**SERVER, "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}]},
        {"terminationGracePeriodSeconds": 15, "containers": [SERVER]},
        {"containers": [{"name": "worker"}]},
    ],
)
def test_pods_that_stay_as_they_are(pod: dict[str, Any]) -> None:
    assert drained(pod) == pod


def test_only_what_serves_drains() -> None:
    assert drained({"containers": [SERVER]}, kind="Job") == {"containers": [SERVER]}
    pod = {"containers": [SERVER]}
    group = {"leaderTemplate": {"spec": pod}, "workerTemplate": {"spec": pod}}
    obj = {"kind": "LeaderWorkerSet", "metadata": {}, "spec": {"leaderWorkerTemplate": group}}
    made = with_drain(obj, DrainSettings(), sleep)["spec"]["leaderWorkerTemplate"]
    assert [made[name]["spec"]["containers"][0]["lifecycle"] for name in group] == [WAIT, WAIT]


def test_the_grace_period_includes_the_wait() -> None:
    with pytest.raises(ValidationError, match="preStopSeconds must be less than terminationGracePeriodSeconds"):
        DrainSettings.model_validate({"preStopSeconds": 60})
