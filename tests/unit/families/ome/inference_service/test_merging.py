"""A service over its runtime.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

from ..helpers import (
    MODEL,
    RUNNER,
    RUNTIME,
    engine,
    main,
    objects,
    planned,
    pod,
    service,
)


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
