"""The observed status. Not proved: that a live workload's status reads like these."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.status import ServiceStatus

from .services import DATA_PARALLEL, manifest, rendered

READY = {"readyReplicas": 1, "replicas": 1}


def status(spec: dict[str, Any], live: dict[str, Any], settings: Any = None, **metadata: Any) -> ServiceStatus:
    observe = rendered(manifest(spec, **metadata), settings=settings).observe
    assert observe is not None
    return observe(live)


def conditions(found: ServiceStatus) -> list[tuple[str, str, str]]:
    return [(condition.type, condition.status, condition.reason) for condition in found.conditions]


def test_a_ready_service() -> None:
    found = status({}, {"decode-deployment": READY})
    assert (found.phase, found.ready, found.desired) == ("Ready", 1, 1)
    assert found.endpoint == "http://chat-kserve-workload-svc.models.svc.cluster.local:8000"
    assert conditions(found) == [
        ("Ready", "True", "WorkloadsReady"),
        ("MainWorkloadReady", "True", "MinimumReplicasAvailable"),
    ]


@pytest.mark.parametrize("live", [{}, {"decode-deployment": {}}, {"decode-deployment": {"readyReplicas": 1}}])
def test_a_service_whose_pods_are_not_all_there(live: dict[str, Any]) -> None:
    found = status({"replicas": 2}, live)
    assert (found.phase, found.desired) == ("Progressing", 2)
    assert conditions(found)[0] == ("Ready", "False", "MinimumReplicasUnavailable")
    assert "of 2 are ready" in found.conditions[0].message


def test_every_workload_counts() -> None:
    spec = {"replicas": 2, "prefill": {"replicas": 3}, "router": {"scheduler": {"replicas": 2, "tokenizer": {}}}}
    live = {
        "decode-deployment": {"readyReplicas": 2},
        "prefill-deployment": {"readyReplicas": 1},
        "epp/deployment": {"readyReplicas": 1},
        "tokenizer-deployment": READY,
    }
    found = status(spec, live)
    assert (found.phase, found.ready, found.desired) == ("Progressing", 3, 5)
    assert conditions(found) == [
        ("Ready", "False", "MinimumReplicasUnavailable"),
        ("MainWorkloadReady", "True", "MinimumReplicasAvailable"),
        ("PrefillWorkloadReady", "False", "MinimumReplicasUnavailable"),
        ("SchedulerWorkloadReady", "True", "MinimumReplicasAvailable"),
        ("TokenizerReady", "True", "MinimumReplicasAvailable"),
    ]
    live["prefill-deployment"] = {"readyReplicas": 3}
    assert status(spec, live).phase == "Ready"
    live["epp/deployment"] = {}
    assert status(spec, live).phase == "Progressing"


def test_groups_count_as_replicas() -> None:
    found = status({**DATA_PARALLEL, "replicas": 2}, {"decode-group": {"readyReplicas": 2, "replicas": 2}})
    assert (found.phase, found.ready, found.desired) == ("Ready", 2, 2)


def test_what_an_autoscaler_wants_is_what_is_there() -> None:
    spec = {"scaling": {"maxReplicas": 5, "wva": {"hpa": {}}}}
    assert status(spec, {"decode-deployment": {"replicas": 4, "readyReplicas": 3}}).desired == 4
    assert status(spec, {"decode-deployment": {"replicas": 4, "readyReplicas": 4}}).phase == "Ready"


def test_zero_replicas_are_ready() -> None:
    assert status({"replicas": 0}, {}).phase == "Ready"


def test_a_deployment_that_no_longer_progresses() -> None:
    stuck = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}
    found = status({}, {"decode-deployment": {"conditions": [stuck]}})
    assert found.phase == "Failed"
    assert (found.conditions[0].reason, found.conditions[0].message) == ("ProgressDeadlineExceeded", "timed out")


def test_a_stopped_service() -> None:
    found = status({"replicas": 2}, {}, annotations={"serving.kserve.io/stop": "true"})
    assert (found.phase, found.ready, found.desired) == ("Stopped", 0, 0)
    assert conditions(found) == [("Ready", "False", "Stopped")]


def test_the_endpoint_with_tls() -> None:
    own = {"ingress": {"enableLLMInferenceServiceTLS": True}}
    assert status({}, {}, own).endpoint.startswith("https://")
