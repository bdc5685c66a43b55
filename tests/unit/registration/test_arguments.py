"""The arguments of components as programs write them: keys, Outputs, objects of other packages.

Not proven here: what type checkers say of them (test_argument_types.py).
"""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest

from modelservices import (
    EPPComponent,
    InferenceServiceComponent,
    InvalidArguments,
    LLMInferenceServiceComponent,
    PrefillDecodeComponent,
)
from modelservices.testing import Recording, render

MODEL = {"source": "https://models.example.com/m.gguf"}
ARGS = {"namespace": "inference", "model": MODEL, "spec": {"modelRef": "m"}}


def chat(args: Any) -> Recording:
    return render(lambda: InferenceServiceComponent("chat", args))


def by_name(recording: Recording) -> dict[tuple[str, str], Any]:
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in recording.objects()}


def pod(recording: Recording) -> dict[str, Any]:
    return recording.object("Deployment", "chat")["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (None, ["args: must be a mapping with spec, model, got None"]),
        ([], ["args: must be a mapping with spec, model, got list"]),
        ({}, ["model: is required", "spec: is required"]),
        ({"spec": None, "model": MODEL}, ["spec: is required"]),
        ({"spec": 5, "model": MODEL}, ["spec: must be a mapping, got 5"]),
        ({**ARGS, "settings": "x"}, ["settings: must be a mapping, got a text"]),
        ({**ARGS, "manifests": ["x"]}, ["manifests[0]: must be a mapping, got a text"]),
        ({**ARGS, "modle": {}}, ["modle: is not a known field; did you mean model?"]),
        ({**ARGS, "name_space": "x"}, ["name_space: is not a known field; did you mean namespace?"]),
    ],
)
def test_arguments_that_can_not_be_used(args: Any, lines: list[str]):
    with pytest.raises(InvalidArguments) as caught:
        chat(args)
    assert str(caught.value).splitlines() == [f"InferenceServiceComponent chat: {line}" for line in lines]


def test_arguments_of_an_endpoint_picker_that_can_not_be_used():
    with pytest.raises(InvalidArguments) as caught:
        render(lambda: EPPComponent("picker", {"pool": "x"}))  # type: ignore[arg-type]
    assert str(caught.value).splitlines() == [
        "EPPComponent picker: pool: is not a known field; known here: name, namespace, poolName, spec",
        "EPPComponent picker: poolName: is required",
    ]


def test_an_unknown_setting_is_refused_with_a_suggestion():
    with pytest.raises(InvalidArguments, match=r"settings: llmkube\.modelCacheSice: .*did you mean modelCacheSize\?"):
        chat({**ARGS, "settings": {"llmkube": {"modelCacheSice": "1Gi"}}})


def test_arguments_that_are_none_are_not_given():
    plain, none = chat(ARGS), chat({**ARGS, "name": None, "labels": None, "spec": {"modelRef": "m", "image": None}})
    assert by_name(none) == by_name(plain)


CAMEL = {
    "namespace": "inference",
    "labels": {"my_team": "a"},
    "model": {"source": MODEL["source"], "hardware": {"gpu": {"count": 1, "resourceName": "nvidia.com/gpu"}}},
    "spec": {
        "modelRef": "m",
        "contextSize": 4096,
        "nodeSelector": {"my_pool": "a"},
        "env": [{"name": "some_name", "valueFrom": {"secretKeyRef": {"name": "s", "key": "some_key"}}}],
        "autoscaling": {
            "maxReplicas": 3,
            "metrics": [{"type": "Resource", "name": "cpu", "targetAverageUtilization": 5}],
        },
    },
    "settings": {"llmkube": {"modelCacheSize": "7Gi"}},
    "manifests": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "some_claim"}}],
}
SNAKE = {
    "namespace": "inference",
    "labels": {"my_team": "a"},
    "model": {"source": MODEL["source"], "hardware": {"gpu": {"count": 1, "resource_name": "nvidia.com/gpu"}}},
    "spec": {
        "model_ref": "m",
        "context_size": 4096,
        "node_selector": {"my_pool": "a"},
        "env": [{"name": "some_name", "value_from": {"secret_key_ref": {"name": "s", "key": "some_key"}}}],
        "autoscaling": {
            "max_replicas": 3,
            "metrics": [{"type": "Resource", "name": "cpu", "target_average_utilization": 5}],
        },
    },
    "settings": {"llmkube": {"model_cache_size": "7Gi"}},
    "manifests": [{"api_version": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "some_claim"}}],
}


def test_keys_in_snake_case_mean_the_keys_of_the_manifest_and_names_stay():
    camel = {**CAMEL, "manifests": []}
    snake = {**SNAKE, "manifests": []}
    assert by_name(chat(snake)) == by_name(chat(camel))
    assert pod(chat(snake))["nodeSelector"] == {"my_pool": "a"}
    assert pod(chat(snake))["containers"][0]["env"][0] == {
        "name": "some_name",
        "valueFrom": {"secretKeyRef": {"name": "s", "key": "some_key"}},
    }


@pytest.mark.parametrize(
    "key", ["autoscaling-wva-controller-config", "autoscaling_wva_controller_config", "autoscalingWvaControllerConfig"]
)
def test_a_key_with_hyphens_has_a_name_in_every_language(key: str):
    scaled = {"scaling": {"maxReplicas": 2, "wva": {"keda": {"pollingInterval": 5}}}}
    args: Any = {
        "spec": {"model": {"uri": "hf://Qwen/Qwen3-8B", "name": "q"}, **scaled},
        "settings": {"kserve": {key: {"prometheus": {"url": "https://prometheus.example.com"}}}},
    }
    made = render(lambda: LLMInferenceServiceComponent("llm", args))
    (trigger,) = next(obj for obj in made.objects() if obj["kind"] == "ScaledObject")["spec"]["triggers"]
    assert trigger["metadata"]["serverAddress"] == "https://prometheus.example.com"


def test_objects_of_pulumi_kubernetes_stand_where_the_manifest_has_their_type():
    variable = k8s.core.v1.EnvVarArgs(
        name="TOKEN",
        value_from=k8s.core.v1.EnvVarSourceArgs(
            secret_key_ref=k8s.core.v1.SecretKeySelectorArgs(name="s", key="token"),
        ),
    )
    toleration = k8s.core.v1.TolerationArgs(key="gpu", operator="Exists", effect="NoExecute", toleration_seconds=5)
    found = pod(chat({**ARGS, "spec": {"modelRef": "m", "env": [variable], "tolerations": [toleration]}}))
    assert {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "token"}}} in found["containers"][0][
        "env"
    ]
    assert {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5} in found["tolerations"]


def chat_in(
    namespace: pulumi.Input[str], source: pulumi.Input[str] = MODEL["source"], preview: bool = False
) -> Recording:
    def program() -> None:
        service = InferenceServiceComponent(
            "chat", {"namespace": namespace, "model": {"source": source}, "spec": {"modelRef": "m"}}
        )
        pulumi.export("endpoint", service.endpoint)

    return render(program, preview=preview)


def test_a_namespace_and_a_source_that_are_outputs_render_what_plain_ones_do():
    plain = chat_in("inference", "https://models.example.com/bucket/m.gguf")
    later = chat_in(
        pulumi.Output.from_input("inference"), pulumi.Output.from_input("https://models.example.com/bucket/m.gguf")
    )
    assert by_name(later) == by_name(plain)
    assert later.outputs == plain.outputs
    assert later.outputs["endpoint"] == "http://chat.inference.svc.cluster.local:8080/v1/chat/completions"


def test_components_share_what_is_in_the_namespace_of_one_output():
    def program() -> None:
        namespace = k8s.core.v1.Namespace("team", metadata={"name": "team"}).metadata["name"]
        for name in ("a", "b"):
            InferenceServiceComponent(name, {"namespace": namespace, "model": MODEL, "spec": {"modelRef": "m"}})

    claims = [obj for obj in render(program).objects() if obj["kind"] == "PersistentVolumeClaim"]
    assert [claim["metadata"]["namespace"] for claim in claims] == ["team"]


def test_a_source_that_makes_other_objects_once_it_is_known_is_refused():
    args = {
        **ARGS,
        "model": {"source": pulumi.Output.from_input("pvc://claim/m.gguf")},
        "settings": {"llmkube": {"existingClaims": ["inference/claim"]}},
    }
    with pytest.raises(pulumi.RunError, match=r"chat: model\.source: its value decides which objects are rendered"):
        chat(args)


def test_rules_hold_for_a_namespace_that_is_known_later():
    with pytest.raises(pulumi.RunError, match="kube-system"):
        chat_in(pulumi.Output.from_input("kube-system"))


def test_an_output_where_the_graph_depends_on_it_is_refused_by_its_path():
    name: Mapping[str, Any] = {**ARGS, "name": pulumi.Output.from_input("x")}
    with pytest.raises(InvalidArguments, match=r"metadata\.name: decides what is rendered"):
        chat(name)
    with pytest.raises(InvalidArguments, match=r"spec\.decode\.replicas: decides what is rendered"):
        render(
            lambda: PrefillDecodeComponent("x", {"spec": {"decode": {"replicas": pulumi.Output.from_input(1)}}})  # type: ignore[typeddict-item]
        )
