"""Faults that people met, as manifests: what is rendered in their place, or which field a finding names.

``platforms`` has folders as platform teams keep them, a service with the objects of one platform beside it. Not proved
here: what a cluster makes of it.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.kubernetes.values import value_at
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

PLATFORMS = sorted(path for path in Path(__file__).with_name("platforms").iterdir() if path.is_dir())
GPU = {"limits": {"nvidia.com/gpu": "1"}}


def kserve(main: dict[str, Any], **spec: Any) -> list[dict[str, Any]]:
    model = {"uri": "hf://example/tiny", "name": "tiny", **spec.pop("model", {})}
    template = {"containers": [{"name": "main", **main}]}
    return [
        {
            "apiVersion": "serving.kserve.io/v1alpha2",
            "kind": "LLMInferenceService",
            "metadata": {"name": "tiny", "namespace": "team-a"},
            "spec": {"model": model, "template": template, **spec},
        }
    ]


def llmkube(service: dict[str, Any], **hardware: Any) -> list[dict[str, Any]]:
    header = {"apiVersion": "inference.llmkube.dev/v1alpha1", "metadata": {"name": "tiny", "namespace": "team-a"}}
    model = {"source": "example/tiny", "hardware": hardware}
    spec = {"modelRef": "tiny", "runtime": "vllm", "skipModelInit": True, **service}
    return [{**header, "kind": "Model", "spec": model}, {**header, "kind": "InferenceService", "spec": spec}]


def planned(tmp_path: Path, manifests: list[dict[str, Any]]) -> StackPlan:
    file = tmp_path / "manifests.yaml"
    file.write_text(yaml.safe_dump_all(manifests))
    return plan_paths([file], Settings())


def server(plan: StackPlan) -> dict[str, Any]:
    (deployment,) = [obj for obj in plan.all_objects() if obj["kind"] == "Deployment"]
    found: dict[str, Any] = value_at(deployment, "spec", "template", "spec")
    return next((each for each in found["containers"] if each["name"] == "main"), found["containers"][0])


@pytest.mark.parametrize("folder", PLATFORMS, ids=lambda path: path.name)
def test_a_folder_of_a_platform_renders_unedited(folder: Path) -> None:
    plan = plan_paths([folder], Settings())
    assert errors(plan.findings) == []
    assert [service.name for service in plan.services] == ["chat"]
    assert plan.objects == ()


TOOLS = ["--enable-auto-tool-choice"]
AMD = {"gpu": {"enabled": True, "count": 1, "vendor": "amd"}}


@pytest.mark.parametrize(
    ("manifests", "path", "code"),
    [
        (kserve({"args": TOOLS, "resources": GPU}), "spec.template.containers[0].args", "missing-flag"),
        (kserve({"args": ["--model", "a"], "resources": GPU}), "spec.template.containers[0].args", "duplicate"),
        (kserve({}), "spec.template.containers[0].resources", "no-gpus"),
        (kserve({"resources": {"limits": {"amd.com/gpu": "1"}}}), "spec.template.containers[0].image", "other-engine"),
        (
            kserve({"resources": GPU}, storageInitializer={"enabled": False}),
            "spec.template.containers[0].args",
            "model-path",
        ),
        (llmkube({"extraArgs": TOOLS}), "spec.extraArgs", "missing-flag"),
        (llmkube({"image": "vllm/vllm-openai:v0.25.1"}, **AMD), "spec.image", "other-engine"),
    ],
)
def test_a_finding_names_the_field(tmp_path: Path, manifests: list[dict[str, Any]], path: str, code: str) -> None:
    assert (path, code) in {(finding.path, finding.code) for finding in planned(tmp_path, manifests).findings}


@pytest.mark.parametrize(
    "manifests",
    [
        kserve({"args": [*TOOLS, "--tool-call-parser", "hermes"], "resources": GPU}),
        kserve({"resources": {"limits": {"aliyun.com/gpu-mem": "8"}}}),
        kserve({"image": "registry.example.com/vllm-rocm:v1", "resources": {"limits": {"amd.com/gpu": "1"}}}),
        llmkube({"image": "registry.example.com/vllm:rocm7"}, **AMD),
        llmkube({}, **AMD),
        llmkube({"runtime": "llamacpp"}, **AMD),
        llmkube({}, gpu={**AMD["gpu"], "vendor": "intel"}),
        llmkube({"runtime": "llamacpp"}, gpu={**AMD["gpu"], "vendor": "intel"}),
    ],
)
def test_what_starts_has_no_such_finding(tmp_path: Path, manifests: list[dict[str, Any]]) -> None:
    codes = {finding.code for finding in planned(tmp_path, manifests).findings}
    assert codes.isdisjoint({"missing-flag", "duplicate", "no-gpus", "other-engine", "model-path"})


def test_templates_read_what_go_promotes(tmp_path: Path) -> None:
    names = "{{ .Namespace }}/{{.Name}} {{ .Kind }}"
    plan = planned(tmp_path, kserve({"env": [{"name": "WHO", "value": names}], "resources": GPU}))
    assert {"name": "WHO", "value": "team-a/tiny LLMInferenceService"} in server(plan)["env"]


def test_a_rank_of_adapters_is_one_that_vllm_takes(tmp_path: Path) -> None:
    lora = {"maxRank": 48, "adapters": [{"name": "sql", "uri": "hf://example/sql"}]}
    text = str(server(planned(tmp_path, kserve({"resources": GPU}, model={"lora": lora}))))
    assert "--max-lora-rank=64" in text or "'--max-lora-rank', '64'" in text


def test_a_variable_stands_after_the_one_that_it_names(tmp_path: Path) -> None:
    env = [{"name": "SCRATCH", "value": "/scratch"}, {"name": "HOME", "value": "$(SCRATCH)/home"}]
    names = [each["name"] for each in server(planned(tmp_path, kserve({"env": env, "resources": GPU})))["env"]]
    assert names.index("SCRATCH") < names.index("HOME")


def test_a_model_on_a_mac_needs_no_folder_of_the_node(tmp_path: Path) -> None:
    manifests = llmkube({}, accelerator="metal")
    manifests[0]["spec"]["source"] = "/models/tiny-mlx"
    assert errors(planned(tmp_path, manifests).findings) == []


def test_tokens_and_templates_of_programs_are_no_placeholders(tmp_path: Path) -> None:
    env = [{"name": "GREETING", "value": "Hello {{ name }}"}]
    plan = planned(tmp_path, llmkube({"extraArgs": ["--served-model-name", "<end_of_turn>"], "env": env}))
    assert errors(plan.findings) == []
    forgotten = planned(tmp_path, llmkube({"extraArgs": ["--served-model-name", "<model-name>"]}))
    assert [finding.code for finding in errors(forgotten.findings)] == ["placeholder"]
