"""The status of a service from its live workloads, and what its platform's ConfigMaps say.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers import (
    MODEL,
    RUNTIME,
    manifest,
    objects,
    planned,
    service,
    with_platform,
)


def test_ome_s_config_maps_count_before_the_settings() -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "ome"},
        "data": {
            "ingress": '{"ingressDomain": "corp.example", "disableIngressCreation": false, "unknown": 1}',
            "other": "{",
        },
    }
    made = objects(with_platform(service(), config_map, settings={"ingress": {"ingressDomain": "x.example"}}))
    assert made["Ingress chat"]["spec"]["rules"][0]["host"] == "chat.llm.corp.example"
    broken = {**config_map, "data": {"ingress": "{"}}
    found = with_platform(service(), broken).findings
    assert [(f.object, f.path) for f in found if f.severity == "error"] == [
        ("ConfigMap ome/inferenceservice-config", "data.ingress")
    ]


def test_endpoint_and_status() -> None:
    plan = with_platform(service())
    (rendered,) = plan.services
    assert rendered.observe is not None
    status = rendered.observe({"engine-deployment": {"readyReplicas": 0, "replicas": 1}})
    assert (status.phase, status.reason, status.endpoint) == (
        "Progressing",
        "PodsNotReady",
        "http://chat-engine.llm.svc.cluster.local:8080",
    )
    ready = rendered.observe({"engine-deployment": {"readyReplicas": 1, "replicas": 1}})
    assert (ready.phase, ready.ready, ready.desired) == ("Ready", 1, 1)


@pytest.mark.parametrize(
    ("mode", "role", "live", "phase"),
    [
        ("Serverless", "engine-knative-service", {}, "Progressing"),
        ("Serverless", "engine-knative-service", {"conditions": [{"type": "Ready", "status": "True"}]}, "Ready"),
        ("Serverless", "engine-knative-service", {"conditions": [{"type": "Ready", "status": "False"}]}, "Progressing"),
        ("MultiNodeRayVLLM", "engine-ray-cluster-0", {"state": "suspended"}, "Progressing"),
        ("MultiNodeRayVLLM", "engine-ray-cluster-0", {"state": "ready"}, "Ready"),
    ],
)
def test_status_of_what_counts_no_pods(mode: str, role: str, live: dict[str, Any], phase: str) -> None:
    (rendered,) = with_platform(service(annotations={"ome.io/deploymentMode": mode})).services
    assert role in rendered.objects
    assert rendered.observe is not None
    assert rendered.observe({role: live}).phase == phase


@pytest.mark.parametrize(
    ("live", "phase", "ready", "desired"),
    [
        ({}, "Progressing", 0, 1),
        ({"observedGeneration": 1}, "Stopped", 0, 0),
        ({"replicas": 3, "readyReplicas": 2}, "Progressing", 2, 3),
        ({"replicas": 3, "readyReplicas": 3}, "Ready", 3, 3),
    ],
)
def test_an_autoscaler_s_number_of_pods_counts(live: dict[str, Any], phase: str, ready: int, desired: int) -> None:
    asleep = {"model": {"name": "llama"}, "engine": {"minReplicas": 0, "maxReplicas": 4}}
    keys = {"ome.io/deploymentMode": "RawDeployment", "autoscaling.ome.io/enable-keda": "true"}
    (rendered,) = with_platform(service(asleep, annotations=keys)).services
    assert rendered.observe is not None
    status = rendered.observe({"engine-deployment": live} if live else {})
    assert (status.phase, status.ready, status.desired) == (phase, ready, desired)


def test_a_surplus_of_one_never_hides_a_lack_of_another() -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "decoder": {}}
    (rendered,) = with_platform(service(spec)).services
    assert rendered.observe is not None
    live = {
        "engine-deployment": {"readyReplicas": 3, "replicas": 3},
        "decoder-deployment": {"readyReplicas": 0, "replicas": 1},
    }
    status = rendered.observe(live)
    assert status.phase == "Progressing"
    assert [(c.type, c.status) for c in status.conditions] == [
        ("Ready", "False"),
        ("EngineReady", "True"),
        ("DecoderReady", "False"),
    ]


def test_other_kinds_of_manifest_make_nothing() -> None:
    assert objects(planned(MODEL, RUNTIME)) == {}
    assert manifest("BaseModel", MODEL["spec"])["kind"] == "BaseModel"
