"""How services are reached and measured: node ports, Envoy AI Gateway, Pyrra. Not proved here: that either works."""

from __future__ import annotations

from typing import Any

import pytest

from .render import brief, plan, rendered, server

GATEWAY = {"enabled": True, "gatewayRef": {"name": "ai", "namespace": "gateways"}}


def objects(spec: Any, settings: Any = None, name: str = "chat") -> Any:
    return rendered(spec, {}, settings, name=name).objects


def test_a_node_port_is_pinned() -> None:
    port = objects({"endpoint": {"type": "NodePort", "nodePort": 30080}})["service"]["spec"]["ports"]
    assert port == [{"name": "http", "port": 8080, "targetPort": 8080, "protocol": "TCP", "nodePort": 30080}]


def test_a_node_port_of_another_type_is_said() -> None:
    spec = {"endpoint": {"nodePort": 30080}}
    assert "nodePort" not in objects(spec)["service"]["spec"]["ports"][0]
    assert brief(plan(spec).findings) == ["warning spec.endpoint.nodePort no-effect"]


def test_the_gateway_sends_a_model_s_requests_to_its_service() -> None:
    found = objects({"endpoint": {"gateway": GATEWAY, "port": 9000}}, name="chat.v1")
    metadata = {"name": "chat-v1", "namespace": "ai"}
    assert found["backend"] == {
        "apiVersion": "gateway.envoyproxy.io/v1alpha1",
        "kind": "Backend",
        "metadata": metadata,
        "spec": {"endpoints": [{"fqdn": {"hostname": "chat-v1.ai.svc.cluster.local", "port": 9000}}]},
    }
    assert found["ai-service-backend"] == {
        "apiVersion": "aigateway.envoyproxy.io/v1beta1",
        "kind": "AIServiceBackend",
        "metadata": metadata,
        "spec": {
            "schema": {"name": "OpenAI"},
            "backendRef": {"name": "chat-v1", "kind": "Backend", "group": "gateway.envoyproxy.io"},
        },
    }
    parent = {"name": "ai", "kind": "Gateway", "group": "gateway.networking.k8s.io", "namespace": "gateways"}
    header = {"type": "Exact", "name": "x-ai-eg-model", "value": "chat-q4"}
    assert found["ai-gateway-route"] == {
        "apiVersion": "aigateway.envoyproxy.io/v1beta1",
        "kind": "AIGatewayRoute",
        "metadata": metadata,
        "spec": {
            "parentRefs": [parent],
            "rules": [{"matches": [{"headers": [header]}], "backendRefs": [{"name": "chat-v1"}]}],
        },
    }


def test_the_model_s_name_in_requests_can_be_another() -> None:
    found = objects({"endpoint": {"gateway": {**GATEWAY, "modelName": "gpt"}}})["ai-gateway-route"]["spec"]["rules"]
    assert found[0]["matches"][0]["headers"][0]["value"] == "gpt"


def test_a_gateway_that_is_not_enabled_makes_nothing_and_is_said() -> None:
    spec = {"endpoint": {"gateway": {"gatewayRef": {"name": "ai"}}}}
    assert list(objects(spec)) == ["deployment", "service"]
    assert brief(plan(spec).findings) == ["warning spec.endpoint.gateway.enabled no-effect"]


MONITORED = {"enablePyrraSLO": True, "podMonitor": {"enabled": True}}


def test_an_objective_of_availability() -> None:
    found = objects({"slo": {"objective": "99.5"}}, MONITORED)["service-level-objective"]
    assert found == {
        "apiVersion": "pyrra.dev/v1alpha1",
        "kind": "ServiceLevelObjective",
        "metadata": {
            "name": "chat-availability",
            "namespace": "ai",
            "labels": {
                "app.kubernetes.io/managed-by": "llmkube",
                "inference.llmkube.dev/inferenceservice": "chat",
            },
        },
        "spec": {
            "target": "99.5",
            "window": "28d",
            "indicator": {"bool_gauge": {"metric": 'up{namespace="ai",service="chat"}'}},
        },
    }


def test_an_objective_of_latency() -> None:
    slo = {"objective": "99", "indicator": "latency", "latencyThreshold": "2", "window": "7d", "name": "fast"}
    found = objects({"runtime": "vllm", "resources": {"gpu": 1}, "slo": slo}, MONITORED)["service-level-objective"]
    pods = 'namespace="ai",service="chat"'
    assert (found["metadata"]["name"], found["spec"]["window"]) == ("fast", "7d")
    assert found["spec"]["indicator"]["latency"] == {
        "success": {"metric": f'vllm:e2e_request_latency_seconds_bucket{{{pods},le="2"}}'},
        "total": {"metric": f"vllm:e2e_request_latency_seconds_count{{{pods}}}"},
    }


@pytest.mark.parametrize(
    ("slo", "settings", "expected"),
    [
        ({"objective": "99"}, {}, ["warning spec.slo no-effect"]),
        ({"objective": "99"}, {"enablePyrraSLO": True}, ["warning spec.slo not-scraped"]),
        ({"objective": "49.9"}, MONITORED, ["error spec.slo.objective bad-value"]),
        ({"objective": "99.9999"}, MONITORED, ["error spec.slo.objective bad-value"]),
        ({"objective": "99.999"}, MONITORED, []),
        (
            {"objective": "99", "name": "A"},
            MONITORED,
            ["error metadata.name bad-name", "error spec.slo.name bad-value"],
        ),
        (
            {"objective": "99", "indicator": "latency"},
            MONITORED,
            ["error spec.slo.indicator bad-value", "error spec.slo.latencyThreshold required"],
        ),
    ],
)
def test_findings_about_objectives(slo: Any, settings: Any, expected: list[str]) -> None:
    assert brief(plan({"slo": slo}, {}, settings).findings) == expected


@pytest.mark.parametrize(
    ("spec", "flag"),
    [
        ({}, ["--host", "10.0.0.1"]),
        ({"runtime": "llamacpp-router"}, ["--host", "10.0.0.1"]),
        ({"runtime": "vllm"}, ["--host", "10.0.0.1"]),
        ({"runtime": "sglang"}, ["--host", "10.0.0.1"]),
        ({"runtime": "tgi"}, ["--hostname", "10.0.0.1"]),
    ],
)
def test_the_address_on_which_a_server_listens(spec: Any, flag: list[str]) -> None:
    words = server({**spec, "bindAddress": "10.0.0.1"})["args"]
    assert words[words.index(flag[0]) : words.index(flag[0]) + 2] == flag
    assert "::" not in words


def test_a_server_that_only_its_own_pod_reaches_is_said() -> None:
    assert brief(plan({"bindAddress": "127.0.0.1"}).findings) == ["warning spec.bindAddress unreachable"]
