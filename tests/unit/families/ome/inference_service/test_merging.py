"""A service over its runtime.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.values import value_at

from ..helpers import MODEL, RUNNER, RUNTIME, engine, env, main, objects, planned, pod, problems, service, with_platform


def test_runner_is_merged_by_name_and_lists_as_the_api_does() -> None:
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": {"runner": {**RUNNER, **RUNTIME_RUNNER}}}}
    own = {
        "runner": {
            "name": "ome-container",
            "args": ["--mine"],
            "env": [
                {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "C", "value": "3"},
            ],
            "resources": {"limits": {"cpu": "2"}},
        }
    }
    made = objects(planned(MODEL, runtime, service({"model": {"name": "llama"}, "engine": own})))
    container = main(made["Deployment chat-engine"])
    assert container["args"] == ["--mine"]
    assert container["image"] == "vllm/vllm-openai:v1"
    assert container["env"][:3] == [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "value": "2"},
        {"name": "C", "value": "3"},
    ]
    assert container["resources"] == {"limits": {"cpu": "2", "memory": "1Gi"}}


RUNTIME_RUNNER = {
    "args": ["--theirs"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
}


@pytest.mark.parametrize(
    ("own", "theirs", "joined"),
    [
        (["--tp-size=4"], ["--port", "80", "--tp-size", "2"], ["--tp-size=4", "--port", "80"]),
        (["--tp", "4"], ["--tp-size", "2", "--port", "80"], ["--tp", "4", "--port", "80"]),
        (["--port", "80"], ["--tp-size", "2"], ["--port", "80", "--tp-size", "2"]),
        ([], ["--tp-size", "2"], ["--tp-size", "2"]),
    ],
)
def test_arguments_of_a_container_count_beside_those_of_the_runtimes_runner(
    own: list[str], theirs: list[str], joined: list[str]
) -> None:
    runner = {**RUNNER, "image": "lmsysorg/sglang:v0.5.5", "command": ["python3", "-m", "sglang.launch_server"]}
    for part in (
        {"runner": {**runner, "args": theirs}},
        {"leader": {"runner": {**runner, "args": theirs}}, "worker": {"size": 1, "runner": runner}},
    ):
        runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": part}}
        given: dict[str, Any] = {"containers": [{"name": "ome-container", "args": own}]}
        given = {"leader": given} if "leader" in part else given
        made = objects(planned(MODEL, runtime, service({"model": {"name": "llama"}, "engine": given})))
        (workload,) = [obj for obj in made.values() if obj["kind"] in ("Deployment", "LeaderWorkerSet")]
        template = value_at(workload, "spec", "leaderWorkerTemplate", "leaderTemplate") or pod(workload)
        assert template["spec"]["containers"][0]["args"] == joined


def test_a_volume_of_the_same_name_is_the_service_s() -> None:
    made = engine(
        {
            "volumes": [{"name": "llama", "emptyDir": {}}],
            "runner": {"name": "ome-container", "volumeMounts": [{"name": "llama", "mountPath": "/other"}]},
        }
    )
    volumes = pod(made["Deployment chat-engine"])["spec"]["volumes"]
    assert volumes == [{"name": "llama", "emptyDir": {}}]


def test_sidecars_and_init_containers_stay() -> None:
    spec = {
        "containers": [{"name": "proxy", "image": "p:1"}],
        "initContainers": [{"name": "prepare", "image": "i:1"}],
        "serviceAccountName": "runner",
    }
    found = pod(engine(spec)["Deployment chat-engine"])["spec"]
    assert [container["name"] for container in found["containers"]] == ["ome-container", "proxy"]
    assert found["initContainers"] == [{"name": "prepare", "image": "i:1"}]
    assert found["serviceAccountName"] == "runner"


# The predictor

PREDICTOR: dict[str, Any] = {
    "model": {
        "baseModel": "llama",
        "runtime": "vllm",
        "fineTunedWeights": ["w"],
        "protocolVersion": "openai",
        "env": [{"name": "X", "value": "1"}],
    },
    "maxReplicas": 4,
    "volumes": [{"name": "scratch", "emptyDir": {}}],
}


def test_a_predictor_is_read_as_model_runtime_and_engine() -> None:
    plan = with_platform(service({"predictor": PREDICTOR}, annotations={"ome.io/min-replicas": "2"}))
    made = objects(plan)
    found = env(made["Deployment chat-engine"])
    assert (found["X"], found["PROTOCOL_VERSION"], found["MODEL_PATH"]) == ("1", "openai", "/mnt/models/llama")
    assert main(made["Deployment chat-engine"])["image"] == RUNNER["image"]
    bounds = made["HorizontalPodAutoscaler chat-engine"]["spec"]
    assert (bounds["minReplicas"], bounds["maxReplicas"]) == (2, 4)
    assert made["Deployment chat-engine"]["metadata"]["labels"]["fine-tuned-serving"] == "true"
    assert ("spec.predictor", "warning", "deprecated") in problems(plan)


def test_a_predictor_s_containers_and_workers() -> None:
    containers = [{"name": "side", "image": "side:1"}, {**RUNNER, "args": ["--a"]}]
    predictor = {"containers": containers, "workerSpec": {"size": 2}}
    made = objects(planned(service({"predictor": predictor})))
    body = made["LeaderWorkerSet lws-chat-engine"]["spec"]["leaderWorkerTemplate"]
    assert body["size"] == 3
    assert body["leaderTemplate"]["spec"]["containers"][0]["args"] == ["--a"]


def test_a_predictor_beside_an_engine_does_nothing() -> None:
    plan = with_platform(service({"model": {"name": "llama"}, "engine": {}, "predictor": PREDICTOR}))
    assert "X" not in env(objects(plan)["Deployment chat-engine"])
    messages = [finding.message for finding in plan.findings if finding.code == "deprecated"]
    assert messages == ["has no effect beside engine and model: write model (for model.baseModel), runtime and engine"]


def test_empty_texts_of_a_runner_change_nothing() -> None:
    """As Kubernetes' own types leave them out; those of variables are values."""
    theirs = {**RUNNER, "imagePullPolicy": "Always", "workingDir": "/w"}
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": {"runner": theirs}}}
    empty = {"image": "", "imagePullPolicy": "", "workingDir": "", "env": [{"name": "A", "value": ""}]}
    own, deployment = {"runner": {"name": "ome-container", **empty}}, "Deployment chat-engine"
    container = main(objects(planned(MODEL, runtime, service({"model": {"name": "llama"}, "engine": own})))[deployment])
    assert [container[field] for field in ("image", "imagePullPolicy", "workingDir")] == [
        "vllm/vllm-openai:v1",
        "Always",
        "/w",
    ]
    assert {"name": "A", "value": ""} in container["env"]
