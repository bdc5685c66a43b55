"""Which workload serves, and how it is reached and scaled.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..helpers import (
    MODEL,
    RUNNER,
    engine,
    objects,
    planned,
    pod,
    problems,
    service,
    with_platform,
)


@pytest.mark.parametrize(
    ("spec", "annotations", "kinds"),
    [
        ({"engine": {}}, {}, ["Deployment chat-engine"]),
        ({"engine": {"minReplicas": 0}}, {}, ["KnativeService chat-engine"]),
        (
            {"engine": {"minReplicas": 0}, "decoder": {"minReplicas": 0}},
            {},
            ["Deployment chat-decoder", "Deployment chat-engine"],
        ),
        (
            {"engine": {}, "router": {"minReplicas": 0}},
            {},
            ["Deployment chat-engine", "KnativeService chat-router"],
        ),
        ({"engine": {"worker": {"size": 1}}}, {}, ["LeaderWorkerSet lws-chat-engine"]),
        ({"engine": {"annotations": {"ome.io/deploymentMode": "Serverless"}}}, {}, ["KnativeService chat-engine"]),
        (
            {"engine": {"annotations": {"ome.io/deploymentMode": "Serverless"}}, "decoder": {}},
            {},
            ["Deployment chat-decoder", "Deployment chat-engine"],
        ),
        ({}, {"ome.io/deploymentMode": "Serverless"}, ["KnativeService chat-engine"]),
        ({}, {}, ["Deployment chat-engine"]),
    ],
)
def test_which_workload(spec: dict[str, Any], annotations: dict[str, str], kinds: list[str]) -> None:
    made = objects(with_platform(service({"model": {"name": "llama"}, **spec}, annotations=annotations)))
    workloads = ("Deployment", "KnativeService", "LeaderWorkerSet", "RayCluster")
    assert sorted(name for name in made if name.startswith(workloads)) == kinds


@pytest.mark.parametrize(
    ("given", "strategy"),
    [
        ({}, {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}),
        (
            {"deploymentStrategy": {"type": "RollingUpdate"}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        ),
        (
            {"deploymentStrategy": {"rollingUpdate": {"maxUnavailable": 1}}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
        ),
        ({"deploymentStrategy": {"type": "Recreate"}}, {"type": "Recreate"}),
    ],
)
def test_how_pods_are_replaced(given: dict[str, Any], strategy: dict[str, Any]) -> None:
    assert engine(given)["Deployment chat-engine"]["spec"]["strategy"] == strategy


@pytest.mark.parametrize(("account", "made"), [("", "chat-router"), ("team", "team")])
def test_a_router_may_watch_pods(account: str, made: str) -> None:
    router = {"serviceAccountName": account} if account else {}
    spec = {"model": {"name": "llama"}, "engine": {}, "router": router}
    found = objects(with_platform(service(spec)))
    assert pod(found["Deployment chat-router"])["spec"]["serviceAccountName"] == made
    assert ("ServiceAccount chat-router" in found) == (not account)
    assert found["Role chat-router"]["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}
    ]
    binding = found["RoleBinding chat-router"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": made, "namespace": "llm"}]
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "chat-router"}
    assert binding["metadata"]["labels"]["component"] == "router"


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        ({"command": ["sh", "-c"], "args": ["python3 -m sglang_router.launch_router --host 0.0.0.0"]}, True),
        ({"command": ["python3", "-m", "sglang_router.launch_router"], "args": ["--port=8081"]}, True),
        ({"command": ["sh", "-c", "exec smg --port 8080"]}, False),
        ({"command": ["my-router"]}, False),
        ({"command": ["smg", "--port", "$(PORT)"]}, False),
    ],
)
def test_a_router_listens_where_its_services_send_requests(runner: dict[str, Any], said: bool) -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "router": {"runner": {"name": "r", "image": "r:1", **runner}}}
    found = [(each.path, each.code) for each in with_platform(service(spec)).findings]
    assert (("spec.router.runner.args", "other-port") in found) is said


def test_what_tools_read_of_a_model() -> None:
    storage = {"storageUri": "s3://b/m", "path": "/m", "schemaPath": "/s", "parameters": {"region": "eu"}, "key": "k"}
    model = {**MODEL, "spec": {"modelFormat": {"name": "safetensors"}, "modelType": "llama", "storage": storage}}
    runner = {**RUNNER, "name": "server"}
    found = objects(planned(model, service({"model": {"name": "llama"}, "engine": {"runner": runner}})))
    (entry,) = json.loads(found["ConfigMap modelconfig-chat"]["data"]["models.json"])
    assert entry["modelSpec"] == {
        "storageUri": "s3://b/m",
        "path": "/m",
        "schemaPath": "/s",
        "parameters": {"region": "eu"},
        "storageKey": "k",
        "modelFormatName": "safetensors",
        "modelType": "llama",
    }


def test_groups_of_leader_and_workers() -> None:
    spec = {"minReplicas": 2, "leader": {"runner": RUNNER}, "worker": {"size": 3, "runner": {**RUNNER, "image": "w:1"}}}
    body = engine(spec)["LeaderWorkerSet lws-chat-engine"]["spec"]
    assert body["replicas"] == 2
    template = body["leaderWorkerTemplate"]
    assert (template["size"], template["restartPolicy"]) == (4, "RecreateGroupOnPodRestart")
    assert template["leaderTemplate"]["spec"]["containers"][0]["image"] == "vllm/vllm-openai:v1"
    assert template["workerTemplate"]["spec"]["containers"][0]["image"] == "w:1"
    assert "startupProbe" not in template["workerTemplate"]["spec"]["containers"][0]


def test_services_of_two_multi_node_services_reach_their_own_leaders_only() -> None:
    spec = {"model": {"name": "llama"}, "engine": {"worker": {"size": 1}}}
    made = objects(with_platform(service(spec, name="one"), service(spec, name="two")))
    for name, other in (("one", "two"), ("two", "one")):
        labels = {
            part: made[f"LeaderWorkerSet lws-{who}-engine"]["spec"]["leaderWorkerTemplate"][part]["metadata"]["labels"]
            for who, part in ((name, "leaderTemplate"), (other, "leaderTemplate"))
        }
        for service_name in (f"Service {name}-engine", f"Service {name}"):
            selector = made[service_name]["spec"]["selector"]
            lws = made[f"LeaderWorkerSet lws-{name}-engine"]["spec"]["leaderWorkerTemplate"]
            own, worker = lws["leaderTemplate"]["metadata"]["labels"], lws["workerTemplate"]["metadata"]["labels"]
            foreign = made[f"LeaderWorkerSet lws-{other}-engine"]["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
            assert selector.items() <= own.items()
            assert not selector.items() <= worker.items()
            assert not selector.items() <= foreign["metadata"]["labels"].items()
        assert labels


def test_knative_limits_and_traffic() -> None:
    spec = {"minReplicas": 0, "timeoutSeconds": 30, "containerConcurrency": 4, "scaleMetric": "rps", "scaleTarget": 9}
    made = engine(spec, annotations={"ome.io/enable-tag-routing": "true"})["KnativeService chat-engine"]
    body = pod(made)["spec"]
    assert (body["timeoutSeconds"], body["responseStartTimeoutSeconds"], body["containerConcurrency"]) == (30, 30, 4)
    annotations = pod(made)["metadata"]["annotations"]
    scale = {
        key: annotations[f"autoscaling.knative.dev/{key}"] for key in ("metric", "target", "min-scale", "max-scale")
    }
    assert scale == {"metric": "rps", "target": "9", "min-scale": "0", "max-scale": "3"}
    assert made["spec"]["traffic"] == [{"latestRevision": True, "percent": 100, "tag": "latest"}]


@pytest.mark.parametrize(
    ("spec", "annotations", "utilization"),
    [
        ({}, {}, 80),
        ({"scaleTarget": 60}, {}, 60),
        ({"scaleTarget": 60}, {"ome.io/targetUtilizationPercentage": "70"}, 70),
        ({}, {"ome.io/target-utilization": "50"}, 50),
        ({"scaleTarget": 60}, {"ome.io/target-utilization": "50"}, 60),
        ({}, {"autoscaling.ome.io/target": "40"}, 40),
        ({}, {"autoscaling.ome.io/target": "40", "ome.io/target-utilization": "50"}, 50),
        ({}, {"autoscaling.ome.io/target": "0.5"}, 80),
    ],
)
def test_utilization(spec: dict[str, Any], annotations: dict[str, str], utilization: int) -> None:
    made = engine(spec, annotations=annotations)
    metric = made["HorizontalPodAutoscaler chat-engine"]["spec"]["metrics"][0]["resource"]
    assert metric["target"]["averageUtilization"] == utilization


@pytest.mark.parametrize("by", ["hpa", "keda", "external"])
def test_an_autoscaler_owns_the_replicas(by: str) -> None:
    made = engine({}, annotations={"ome.io/autoscalerClass": by})
    assert "replicas" not in made["Deployment chat-engine"]["spec"]


@pytest.mark.parametrize("kind", ["HorizontalPodAutoscaler chat-engine", "ScaledObject scaledobject-chat-engine"])
def test_the_class_external_has_no_autoscaler(kind: str) -> None:
    assert kind not in engine({}, annotations={"ome.io/autoscalerClass": "external"})


def test_keda_of_a_component_comes_before_the_service_s() -> None:
    spec = {
        "model": {"name": "llama"},
        "engine": {"kedaConfig": {"scalingThreshold": "3"}},
        "kedaConfig": {"scalingThreshold": "4", "scalingOperator": "GreaterThan"},
    }
    made = objects(with_platform(service(spec, annotations={"ome.io/autoscalerClass": "keda"})))
    trigger = made["ScaledObject scaledobject-chat-engine"]["spec"]["triggers"][0]["metadata"]
    assert (trigger["threshold"], trigger["operator"]) == ("3", "LessThanOrEqual")
    assert trigger["serverAddress"] == "http://prometheus-operated.monitoring.svc.cluster.local:9090"
    assert 'ome_io_inferenceservice="chat"' in trigger["query"]


@pytest.mark.parametrize(
    ("given", "bounds"),
    [
        ({}, {"maxUnavailable": 1}),
        ({"maxUnavailable": "25%"}, {"maxUnavailable": "25%"}),
        ({"minAvailable": 2}, {"minAvailable": 2}),
    ],
)
def test_disruption_budget(given: dict[str, Any], bounds: dict[str, Any]) -> None:
    spec = dict(engine(given)["PodDisruptionBudget chat-engine"]["spec"])
    assert spec.pop("selector") == {"matchLabels": {"app": "chat-engine"}}
    assert spec == bounds


GATEWAY = {"ingress": {"disableIngressCreation": False, "enableGatewayAPI": True, "omeIngressGateway": "ns/gw"}}


def test_http_route() -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "router": {"timeoutSeconds": 5}}
    made = objects(with_platform(service(spec), settings=GATEWAY))
    rule = made["HTTPRoute chat"]["spec"]["rules"][0]
    assert rule["timeouts"] == {"request": "5s"}
    assert rule["backendRefs"] == [
        {"group": "", "kind": "Service", "name": "chat-router", "namespace": "llm", "port": 8080, "weight": 1}
    ]
    assert made["HTTPRoute chat"]["spec"]["hostnames"] == ["chat.llm.example.com"]
    assert "Service chat" not in made


def test_a_gateway_must_be_named() -> None:
    settings = {"ingress": {"disableIngressCreation": False, "enableGatewayAPI": True}}
    assert ("metadata.name", "error", "required") in problems(with_platform(service(), settings=settings))


def test_cluster_local_is_not_exposed() -> None:
    local = {"networking.knative.dev/visibility": "cluster-local"}
    for settings in (GATEWAY, {"ingress": {"disableIngressCreation": False}}, {}):
        made = objects(with_platform(service(labels=local), settings=settings))
        assert not [name for name in made if name.startswith(("HTTPRoute", "Ingress", "Service chat$"))]
        assert "Service chat" not in made


def test_additional_hosts() -> None:
    annotations = {"ome.io/ingress-additional-domains": "a.example, b.example"}
    made = objects(with_platform(service(annotations=annotations), settings={**GATEWAY, "additionalHosts": True}))
    assert made["HTTPRoute chat"]["spec"]["hostnames"] == [
        "chat.llm.example.com",
        "chat.llm.a.example",
        "chat.llm.b.example",
    ]
