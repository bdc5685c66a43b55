"""How long rollouts may take. Not proved here: that a cluster honours the deadline."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.rollout import (
    MARGIN_SECONDS,
    is_out_of_time,
    is_rolled_out,
    rollout_seconds,
    was_rolled_out,
    with_deadline,
)


def workload(kind: str, *probes: dict[str, Any] | None, **spec: Any) -> dict[str, Any]:
    containers = [{"name": f"c{n}", **({"startupProbe": probe} if probe else {})} for n, probe in enumerate(probes)]
    body = {"template": {"spec": {"containers": containers}}, **spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"}, "spec": body}


PROBE = {"periodSeconds": 10, "failureThreshold": 180}


def test_the_slowest_container_counts() -> None:
    slow = {**PROBE, "initialDelaySeconds": 5}
    assert rollout_seconds(workload("Deployment", PROBE, None, slow)) == 1805 + MARGIN_SECONDS


@pytest.mark.parametrize(
    ("obj", "seconds"),
    [
        (workload("Deployment", PROBE), 2700),
        (workload("Deployment", {}), None),
        (workload("Deployment", None), None),
        (workload("Deployment", PROBE, progressDeadlineSeconds=60), 60),
        (workload("LeaderWorkerSet", PROBE), None),
    ],
)
def test_deadline_of_a_deployment(obj: dict[str, Any], seconds: int | None) -> None:
    """Only a Deployment has one, and one without a startup probe keeps Kubernetes' ten minutes."""
    assert with_deadline(obj)["spec"].get("progressDeadlineSeconds") == seconds


def live(kind: str, generation: int = 2, wanted: int | None = 2, **status: Any) -> dict[str, Any]:
    spec = {} if wanted is None else {"replicas": wanted}
    return {"kind": kind, "metadata": {"generation": generation}, "spec": spec, "status": status}


def condition(kind: str, status: str = "True", reason: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason}


ALL = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}
COMPLETE = condition("Progressing", reason="NewReplicaSetAvailable")
LATE = condition("Progressing", "False", "ProgressDeadlineExceeded")
ROLLED_OUT: dict[str, tuple[dict[str, Any], bool, bool]] = {
    "all are ready": (live("Deployment", observedGeneration=2, **ALL, conditions=[COMPLETE]), True, True),
    "the controller has not seen the spec": (live("Deployment", 3, observedGeneration=2, **ALL), False, False),
    "nothing was seen yet": (live("Deployment"), False, False),
    "one is missing": (live("Deployment", observedGeneration=2, **{**ALL, "readyReplicas": 1}), False, False),
    "old pods serve": (live("Deployment", observedGeneration=2, **{**ALL, "updatedReplicas": 1}), False, False),
    "an old pod is ready in place of a new one": (
        live("Deployment", observedGeneration=2, **{**ALL, "replicas": 3}, conditions=[LATE]),
        False,
        False,
    ),
    "none is wanted": (live("Deployment", wanted=0, observedGeneration=2), True, False),
    "one is the default": (
        live("Deployment", wanted=None, observedGeneration=2, updatedReplicas=1, readyReplicas=1),
        True,
        False,
    ),
    "broke later": (live("Deployment", observedGeneration=2, conditions=[COMPLETE]), False, True),
    "groups": (live("LeaderWorkerSet", **ALL, conditions=[condition("Available")]), True, True),
    "an old group is ready in place of a new one": (
        live("LeaderWorkerSet", **{**ALL, "replicas": 3}, conditions=[condition("Available")]),
        False,
        True,
    ),
    "groups that start": (live("LeaderWorkerSet", conditions=[condition("Progressing")]), False, False),
    "groups that broke": (live("LeaderWorkerSet", **ALL, conditions=[condition("Available", "False")]), False, True),
    "a Ray cluster": (live("RayCluster", observedGeneration=2, state="ready"), True, False),
    "a Ray cluster that broke": (
        live("RayCluster", observedGeneration=2, state="failed", stateTransitionTimes={"ready": "2026-01-01"}),
        False,
        True,
    ),
    "Knative": (
        live(
            "Service",
            observedGeneration=2,
            conditions=[condition("Ready")],
            latestReadyRevisionName="r2",
            latestCreatedRevisionName="r2",
        ),
        True,
        True,
    ),
    "Knative starts": (
        live("Service", observedGeneration=2, latestReadyRevisionName="r1", latestCreatedRevisionName="r2"),
        False,
        False,
    ),
}


@pytest.mark.parametrize("case", ROLLED_OUT)
def test_when_a_workload_is_rolled_out(case: str) -> None:
    workload, now, once = ROLLED_OUT[case]
    assert (is_rolled_out(workload), was_rolled_out(workload)) == (now, once)


def test_of_pods_that_elect_a_leader_one_is_enough() -> None:
    status = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2}
    assert is_rolled_out(live("Deployment", **status, readyReplicas=1), one_is_enough=True)
    assert not is_rolled_out(live("Deployment", **status), one_is_enough=True)
    assert not is_rolled_out(live("Deployment", **{**status, "replicas": 3}, readyReplicas=1), one_is_enough=True)


@pytest.mark.parametrize(("observed", "late"), [(2, True), (1, False)])
def test_a_deadline_counts_for_the_present_spec(observed: int, late: bool) -> None:
    assert is_out_of_time(live("Deployment", observedGeneration=observed, conditions=[LATE])) is late
