"""How long rollouts may take. Not proved here: that a cluster honours the deadline."""

from __future__ import annotations

from typing import Any

import pytest

from components.kubernetes.rollout import MARGIN_SECONDS, rollout_seconds, with_deadline


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
