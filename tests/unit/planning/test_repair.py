"""A manifest with errors of its types is judged to the end: what else is wrong is said in the same run, and nothing
that comes from the errors themselves.

Not proved here: how each error is worded (tests/unit/kubernetes/test_model.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

LLMKUBE = "inference.llmkube.dev/v1alpha1"
MODEL = {"source": "https://models.example.com/m.gguf"}


def manifest(version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "a"}, "spec": spec}


def planned(folder: Path, *manifests: dict[str, Any]) -> StackPlan:
    (folder / "manifests.yaml").write_text(yaml.safe_dump_all(manifests))
    return plan_paths([folder], Settings())


def said(plan: StackPlan) -> list[str]:
    """Errors and warnings, as ``object path``."""
    return sorted(f"{f.object.split()[-1]} {f.path}" for f in plan.findings if f.severity != "info")


def llmkube(service: dict[str, Any], model: dict[str, Any] = MODEL) -> tuple[dict[str, Any], dict[str, Any]]:
    return manifest(LLMKUBE, "Model", "m", model), manifest(
        LLMKUBE, "InferenceService", "s", {"modelRef": "m"} | service
    )


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ({"runtime": "vlm", "replicas": 11}, ["spec.replicas", "spec.runtime"]),
        (
            {"runtime": "vlm", "image": "a b", "podLabels": {"app": "x"}},
            ["spec.image", "spec.podLabels", "spec.runtime"],
        ),
        # Whether files are needed, or the flag is known, depends on the runtime: nothing is said of it.
        ({"runtime": "vlm", "extraArgs": ["--max-model-len", "9"]}, ["spec.runtime"]),
        ({"runtime": "vlm", "endpoint": {"port": 80}, "extraArgs": ["--port", "9"]}, ["spec.runtime"]),
        # What an unknown field was meant to be is judged as if it stood there.
        ({"resource": {"gpu": 1}, "podSecurityContext": {"runAsNonRoot": True}}, ["spec.podSec", "spec.resource"]),
        ({"modelref": "m", "modelRef": None, "image": "a b"}, ["spec.image", "spec.modelref"]),
        ({"gpus": 4, "replicas": "many", "image": "a b"}, ["spec.gpus", "spec.image", "spec.replicas"]),
        ({"containerPort": "http", "extraArgs": ["--port", "9"]}, ["spec.containerPort"]),
    ],
)
def test_a_service_of_llmkube(tmp_path: Path, service: dict[str, Any], expected: list[str]) -> None:
    found = [line.removeprefix("a/s ") for line in said(planned(tmp_path, *llmkube(service)))]
    assert len(found) == len(expected), found
    assert all(part in line for part, line in zip(expected, found, strict=True)), found


def test_a_service_is_judged_with_a_model_that_has_errors(tmp_path: Path) -> None:
    model = {"sorce": "https://models.example.com/m.gguf", "hardware": {"gpu": {"vendor": "nvida", "count": 1}}}
    plan = planned(tmp_path, *llmkube({"runtime": "vllm", "vllmConfig": {"tensorParallelSize": 2}}, model))
    assert said(plan) == [
        "a/m spec.hardware.gpu.vendor",
        "a/m spec.sorce",
        "a/s spec.vllmConfig.tensorParallelSize",
    ]


CONTAINER = {
    "name": "main",
    "image": "registry.example.com/vllm/vllm-openai:v0.25.1",
    "resources": {"limits": {"nvidia.com/gpu": 1}},
}
OTTERSCALE = {
    "model": {"name": "org/m", "image": "registry.example.com/m:1"},
    "engine": {"args": ["--port", "1"]},
    "accelerator": {"type": "nvidea"},
    "decode": {"replicas": "two", "parallelism": {"data": 1, "dataLocal": 2}},
}
KSERVE = {
    "model": {"uri": "hf://org/m", "nam": "m"},
    "replicas": "two",
    "template": {"containers": [{**CONTAINER, "args": ["--enable-auto-tool-choice"], "imagePullPolicy": 5}]},
    "router": {"gateway": {"refs": [{"name": "g"}]}},
}
OME = {
    "model": {"name": "bm"},
    "engine": {"minReplicas": "x", "maxReplicas": -1, "runner": {**CONTAINER, "args": ["--no-such-flag"], "tt": True}},
}
POOL = {
    "selector": {"matchLabels": {"a": "b"}},
    "targetPorts": [{"number": 80}, {"number": 80}],
    "endpointPickerRef": {"name": "X_", "port": {"number": 9002}, "failureMode": "FailSoft"},
}


@pytest.mark.parametrize(
    ("version", "kind", "spec", "expected"),
    [
        (
            "model.otterscale.io/v1alpha1",
            "ModelService",
            OTTERSCALE,
            ["accelerator.type", "decode.parallelism.dataLocal", "decode.replicas", "engine.args[0]"],
        ),
        (
            "serving.kserve.io/v1alpha2",
            "LLMInferenceService",
            KSERVE,
            [
                "model.nam",
                "replicas",
                "template.containers[0].args",
                "template.containers[0].image",
                "template.containers[0].imagePullPolicy",
            ],
        ),
        (
            "ome.io/v1beta1",
            "InferenceService",
            OME,
            [
                "engine.maxReplicas",
                "engine.minReplicas",
                "engine.runner.args",
                "engine.runner.args[0]",
                "engine.runner.tt",
                "model.name",
            ],
        ),
        (
            "inference.networking.k8s.io/v1",
            "InferencePool",
            POOL,
            ["endpointPickerRef.failureMode", "targetPorts"],
        ),
    ],
)
def test_every_family(tmp_path: Path, version: str, kind: str, spec: dict[str, Any], expected: list[str]) -> None:
    plan = planned(tmp_path, manifest(version, kind, "s", spec))
    assert errors(plan.findings)
    assert [line for line in said(plan) if "metadata" not in line] == [f"a/s spec.{path}" for path in expected]


def test_an_object_without_a_name_is_left_alone(tmp_path: Path) -> None:
    service = manifest(LLMKUBE, "InferenceService", "s", {"modelRef": "m", "replicas": 11})
    service["metadata"] = {"namespace": "a"}
    assert [f.path for f in errors(planned(tmp_path, service).findings)] == ["metadata.name", "spec.replicas"]


def test_what_loading_has_found_is_said_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "tabs.yaml").write_text("apiVersion: v1\n\tkind: Secret\n")
    plan = planned(tmp_path, *llmkube({"modelref": "m", "modelRef": None}))
    assert said(plan) == ["1 ", "a/s spec.modelref"]
