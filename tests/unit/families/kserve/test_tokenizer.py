"""The tokenizer beside a scheduler: its objects, its model, and the name that the configuration asks for."""

from __future__ import annotations

from typing import Any

import pytest

from .services import container, findings, main, manifest, of, pod
from .test_scheduler import CONFIG, config_of, scheduler


def test_the_tokenizer() -> None:
    made = scheduler(tokenizer={})
    assert made["tokenizer-service"]["spec"] == {
        "ports": [{"name": "render-http", "port": 8000, "protocol": "TCP", "targetPort": "render-http"}],
        "selector": made["tokenizer-deployment"]["spec"]["selector"]["matchLabels"],
    }
    spec = pod(made["tokenizer-deployment"])
    assert made["tokenizer-deployment"]["spec"]["replicas"] == 1
    assert container(spec, "storage-initializer")["args"] == ["hf://org/model", "/mnt/models"]
    mounts = {mount["mountPath"]: mount["name"] for mount in container(spec)["volumeMounts"]}
    assert mounts["/mnt/models/base"] == "kserve-provision-location"


def test_a_tokenizer_because_of_a_plugin() -> None:
    plugin = {"type": "precise-prefix-cache-scorer"}
    made = scheduler(config={"inline": {**CONFIG, "plugins": [plugin]}})
    assert "tokenizer-deployment" in made
    producer = config_of(container(pod(made["epp/deployment"])))["plugins"][0]
    assert producer["parameters"]["vllm"]["url"] == "http://chat-tokenizer.models.svc.cluster.local:8000"


def test_a_tokenizer_without_adapters() -> None:
    adapters = [{"name": "a", "uri": "hf://o/a"}, {"name": "b", "uri": "pvc://c/b"}]
    spec = {
        "model": {"uri": "pvc://claim/m", "name": "m", "lora": {"adapters": adapters}},
        "router": {"scheduler": {"tokenizer": {}}},
    }
    tokenizer = pod(of(spec)["tokenizer-deployment"])
    assert "initContainers" not in tokenizer and "lora" not in str(tokenizer)
    mounts = {mount["mountPath"]: mount["name"] for mount in container(tokenizer)["volumeMounts"]}
    assert mounts["/mnt/models/base"] == "kserve-pvc-source"


def token_producer(**parameters: Any) -> dict[str, Any]:
    return {**CONFIG, "plugins": [{"type": "token-producer", "parameters": parameters}]}


def asked(made: dict[str, Any]) -> Any:
    (plugin,) = config_of(container(pod(made["epp/deployment"])))["plugins"]
    return plugin["parameters"]


def test_the_tokenizer_answers_to_the_name_that_the_configuration_asks_for() -> None:
    made = scheduler(config={"inline": token_producer(modelName="org/other")})
    assert asked(made)["modelName"] == "org/other"
    command = container(pod(made["tokenizer-deployment"]))["command"]
    assert "--served-model-name /mnt/models/base org/other" in command[2]


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ({"args": ["--served-model-name", "chat"]}, "chat"),
        ({"args": ["--max-model-len=4096"]}, "/mnt/models/base"),
        ({"command": ["vllm", "launch", "render", "org/tokens"]}, "org/tokens"),
        ({"command": ["vllm", "launch", "render", "org/tokens", "--served-model-name=chat"]}, "chat"),
    ],
)
def test_the_configuration_asks_for_the_name_that_the_tokenizer_answers_to(item: dict[str, Any], name: str) -> None:
    tokenizer = {"template": {"containers": [{"name": "main", **item}]}}
    made = scheduler(config={"inline": token_producer()}, tokenizer=tokenizer)
    assert asked(made)["modelName"] == name
    words = container(pod(made["tokenizer-deployment"]))
    assert words.get("args", []) == item.get("args", [])
    assert words["command"][3:] == (["--"] if "args" in item else item["command"][3:])
    assert words["command"][2].endswith('"$@"') == ("args" in item)


@pytest.mark.parametrize("backend", [{"estimate": {}}, {"udsTokenizerConfig": {"socketFile": "/s"}, "modelName": "m"}])
def test_a_producer_that_counts_without_the_tokenizer_stays(backend: dict[str, Any]) -> None:
    assert asked(scheduler(config={"inline": token_producer(**backend)})) == backend


def test_the_tokenizer_is_pulled_with_the_server_s_secrets_from_the_same_registry() -> None:
    images = {"images": {"vllm": "r.example.com/vllm:1", "tokenizer": "r.example.com/cpu:1"}}
    template = {"containers": [{"name": "main"}], "imagePullSecrets": [{"name": "registry"}]}
    spec = {"template": template, "router": {"scheduler": {"tokenizer": {}}}}
    assert pod(of(spec, images)["tokenizer-deployment"])["imagePullSecrets"] == [{"name": "registry"}]
    assert "imagePullSecrets" not in pod(of(spec)["tokenizer-deployment"])


def test_a_tokenizer_without_a_model() -> None:
    spec = {"storageInitializer": {"enabled": False}, "router": {"scheduler": {"tokenizer": {}}}}
    path = "spec.router.scheduler.tokenizer.template.containers[main].args"
    assert (path, "warning", "model-path") in findings(manifest(spec))


def test_a_tokenizer_at_another_port() -> None:
    template = main(args=["--port=9000"])
    path = "spec.router.scheduler.tokenizer.template.containers[0].args"
    spec = {"router": {"scheduler": {"tokenizer": {"template": template}}}}
    assert findings(manifest(spec)) == [(path, "warning", "other-port")]
