"""The status of a service under every state of its Deployment.

Not proved here: that a cluster reports such states (tests/integration).
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.llmkube.context import told_mode

from .render import NVIDIA, REPOSITORY, rendered


def status(live: Any, spec: Any = None, model: Any = None) -> Any:
    service = rendered(spec, model)
    assert service.observe
    return service.observe(live)


def ready(count: int) -> dict[str, Any]:
    return {"deployment": {"readyReplicas": count, "replicas": count}}


BLOCKED = {"pods": {"schedulingMessages": ["x", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."]}}


@pytest.mark.parametrize(
    ("live", "spec", "model", "phase", "first"),
    [
        ({}, {}, {}, "Creating", "Progressing True Creating"),
        (ready(1), {"replicas": 2}, {}, "Progressing", "Progressing True Creating"),
        (ready(2), {"replicas": 2}, {}, "Ready", "Available True InferenceReady"),
        (ready(0), {"replicas": 0}, {}, "Stopped", "Available False ManuallyScaledToZero"),
        (BLOCKED, {}, NVIDIA, "WaitingForGPU", "GPUAvailable False InsufficientGPU"),
        (BLOCKED, {}, {"hardware": {"gpu": {"count": 1, "vendor": "amd"}}}, "Creating", "Progressing True Creating"),
        ({**BLOCKED, **ready(1)}, {}, NVIDIA, "Ready", "Available True InferenceReady"),
    ],
)
def test_phases(live: Any, spec: Any, model: Any, phase: str, first: str) -> None:
    found = status(live, spec, model)
    condition = found.conditions[0]
    assert (found.phase, f"{condition.type} {condition.status} {condition.reason}") == (phase, first)


def test_waiting_for_gpus() -> None:
    found = status({"pods": {**BLOCKED["pods"], "queuePosition": 3}}, {}, NVIDIA)
    assert [condition.type for condition in found.conditions] == ["GPUAvailable", "Progressing", "Suspended"]
    assert found.details == {
        "effectivePriority": 10000,
        "mode": "chat",
        "modelReady": True,
        "replicas": 1,
        "queuePosition": 3,
        "schedulingMessage": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
        "schedulingStatus": "InsufficientGPU",
        "waitingFor": "nvidia.com/gpu: 1",
    }


def test_under_an_autoscaler_the_deployment_says_how_many_are_wanted() -> None:
    scaled = {"autoscaling": {"maxReplicas": 5}}
    found = status({"deployment": {"replicas": 3, "readyReplicas": 2}}, scaled)
    assert (found.phase, found.ready, found.desired) == ("Progressing", 2, 3)
    assert status({}, {**scaled, "replicas": 2}).desired == 2


def test_why_a_deployment_does_not_go_on_comes_first() -> None:
    conditions = [
        {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"},
        {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"},
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"},
    ]
    found = status({"deployment": {"conditions": conditions}})
    assert found.reason == "FailedCreate"
    assert [(c.type, c.status, c.reason, c.message) for c in found.conditions[:2]] == [
        ("Degraded", "True", "FailedCreate", "exceeded quota"),
        ("Degraded", "True", "ProgressDeadlineExceeded", ""),
    ]


@pytest.mark.parametrize(
    ("spec", "endpoint"),
    [
        ({}, "http://chat.ai.svc.cluster.local:8080/v1/chat/completions"),
        ({"endpoint": {"port": 80, "path": "/x"}}, "http://chat.ai.svc.cluster.local:80/x"),
        ({"endpoint": {"path": "v1/embeddings"}}, "http://chat.ai.svc.cluster.local:8080/v1/embeddings"),
        ({"runtime": "vllm", "skipModelInit": True}, "http://chat.ai.svc.cluster.local:8000/v1/chat/completions"),
    ],
)
def test_endpoint(spec: Any, endpoint: str) -> None:
    assert status({}, spec, REPOSITORY if "runtime" in spec else {}).endpoint == endpoint


@pytest.mark.parametrize(
    ("words", "path", "expected"),
    [
        ([], "/v1/chat/completions", "chat"),
        (["--embedding"], "", "embedding"),
        (["--embeddings"], "", "embedding"),
        ([], "/v1/embeddings", "embedding"),
        (["--reranking", "--embedding"], "", "rerank"),
        ([], "/v1/rerank", "rerank"),
    ],
)
def test_mode(words: list[str], path: str, expected: str) -> None:
    assert told_mode(words, path) == expected


@pytest.mark.parametrize(
    ("priority", "value"), [("critical", 1000000), ("high", 100000), ("normal", 10000), ("low", 1000), ("batch", 100)]
)
def test_priority(priority: str, value: int) -> None:
    found = status({}, {"priority": priority, "priorityClassName": "gold"})
    assert found.details["effectivePriority"] == value


@pytest.mark.parametrize(
    ("config", "reason"),
    [({"cpuOffloadGB": 4}, "CPUOffloadUnverified"), ({"speculative": {"enabled": True}}, "SpeculativeMissingModel")],
)
def test_conditions_of_the_spec_alone(config: Any, reason: str) -> None:
    found = status(ready(1), {"runtime": "vllm", "skipModelInit": True, "vllmConfig": config}, REPOSITORY)
    last = found.conditions[-1]
    assert (found.phase, last.type, last.status, last.reason) == ("Ready", "VLLMSpecValid", "False", reason)


def test_a_model_on_a_mac() -> None:
    found = status({}, {}, {"hardware": {"accelerator": "metal"}})
    assert (found.phase, found.details["schedulingStatus"]) == ("Creating", "WaitingForMetalAgent")
