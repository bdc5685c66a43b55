"""Where labels and annotations come from. Which layers a family has is for the family's own tests."""

from pathlib import Path
from typing import Any

import pytest

from modelservices.__main__ import main
from modelservices.commands.explain import explanations
from modelservices.kubernetes.objects import key
from modelservices.kubernetes.propagation import Layer, Propagation
from modelservices.kubernetes.scalars import Opaque

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "n", "labels": {"app": "web", "tier": "front"}},
    "spec": {
        "template": {
            "metadata": {"labels": {"app": "web"}, "annotations": {"scrape": "true", "hash": "1"}},
            "spec": {"containers": []},
        }
    },
}
LAYERS = Propagation(
    labels=(
        Layer("metadata.labels", {"tier": "front", "app": "other"}, frozenset(["pods"]), prefixes=("app",)),
        Layer("this program", {"app": "web"}, frozenset(["deployment", "pods"]), owned=True),
    ),
    annotations=(
        Layer("metadata.annotations", {"scrape": "false"}, frozenset(["pods"])),
        Layer("spec.annotations", {"scrape": "true"}, frozenset(["pods"])),
    ),
    object="deployment",
    templates={"spec.template": "pods"},
)


def lines(name: str, obj: dict[str, Any] = DEPLOYMENT, layers: Propagation | None = LAYERS) -> list[str]:
    layered = {key(obj): layers} if layers else {}
    return [explanation.line() for explanation in explanations([obj], layered, name)]


def test_the_layer_that_won_and_those_it_won_over():
    assert lines("scrape") == [
        "Deployment n/web spec.template.metadata.annotations: 'true' from spec.annotations, "
        "over 'false' from metadata.annotations"
    ]


def test_each_place_has_a_line():
    assert lines("app") == [
        "Deployment n/web metadata.labels: 'web' from this program",
        "Deployment n/web spec.template.metadata.labels: 'web' from this program, over 'other' from metadata.labels",
    ]


def test_a_key_that_was_held_back_by_its_prefix():
    assert lines("tier") == [
        "Deployment n/web metadata.labels: 'front' from rendered",
        "Deployment n/web spec.template.metadata.labels: not there: metadata.labels has it, "
        "but its prefix may not reach this place",
    ]


def test_a_value_that_no_layer_tells_of_was_rendered():
    assert lines("hash") == ["Deployment n/web spec.template.metadata.annotations: '1' from rendered"]


def test_an_object_without_layers():
    assert lines("scrape", layers=None) == ["Deployment n/web spec.template.metadata.annotations: 'true' from rendered"]


def test_a_value_that_only_the_engine_will_know():
    obj = {**DEPLOYMENT, "metadata": {"name": "web", "namespace": "n", "annotations": {"commit": Opaque(object())}}}

    assert lines("commit", obj, None) == ["Deployment n/web metadata.annotations: an Output from rendered"]


@pytest.mark.parametrize("metadata", [None, 3, {"labels": ["app"]}])
def test_a_template_of_any_shape(metadata: Any):
    template = {"metadata": metadata, "spec": {"containers": []}}

    assert lines("app", {**DEPLOYMENT, "spec": {"template": template}}) == [
        "Deployment n/web metadata.labels: 'web' from this program"
    ]


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["explain", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


CASES = Path(__file__).parents[2] / "conformance"
LLMKUBE = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m, namespace: n}
spec: {source: "https://models.example.com/m.gguf"}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: chat, namespace: n}
spec: {modelRef: m, podAnnotations: {prometheus.io/scrape: "false"}}
"""
KSERVE = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: a, namespace: n, labels: {team: x}, annotations: {prometheus.io/scrape: "false"}}
spec:
  model: {uri: "hf://Qwen/Qwen3-8B", name: Qwen/Qwen3-8B}
  annotations: {prometheus.io/scrape: "true"}
"""
OTTERSCALE = """
apiVersion: model.otterscale.io/v1alpha1
kind: ModelService
metadata: {name: a, namespace: n}
spec:
  model: {name: Qwen/Qwen3-8B, image: "registry.example.com/qwen3-8b:1"}
  engine: {}
  accelerator: {type: nvidia}
  decode: {replicas: 1}
"""


def test_llmkube(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "a.yaml").write_text(LLMKUBE)
    (tmp_path / "settings.yaml").write_text("llmkube: {emitScrapeAnnotations: true}\n")
    files = (str(tmp_path / "a.yaml"), "--settings", str(tmp_path / "settings.yaml"))

    assert explained(capsys, *files, "--key", "prometheus.io/scrape") == [
        "Deployment n/chat spec.template.metadata.annotations: 'false' from spec.podAnnotations, "
        "over 'true' from llmkube"
    ]


def test_kserve(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "a.yaml").write_text(KSERVE)

    assert explained(capsys, str(tmp_path), "--key", "prometheus.io/scrape") == [
        "Deployment n/a-kserve metadata.annotations: 'false' from metadata.annotations",
        "Deployment n/a-kserve spec.template.metadata.annotations: 'true' from spec.annotations, "
        "over 'false' from metadata.annotations",
    ]
    assert all(line.endswith("has it, but its prefix may not reach this place") for line in explained(
        capsys, str(tmp_path), "--key", "team"
    ))  # fmt: skip


def test_otterscale_with_the_picker_inside(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "a.yaml").write_text(OTTERSCALE)

    assert explained(capsys, str(tmp_path), "--key", "llm-d.ai/role") == [
        "Deployment n/a-decode spec.template.metadata.labels: 'decode' from this program"
    ]
    assert explained(capsys, str(tmp_path), "--key", "inferencepool") == [
        "Deployment n/a-epp spec.template.metadata.labels: 'a-epp' from this program"
    ]


def test_ome(capsys: pytest.CaptureFixture[str]):
    manifests = CASES / "ome/propagation/component-overrides/input.yaml", CASES / "ome/env.yaml"

    found = explained(capsys, *map(str, manifests), "--key", "ome.io/inferenceservice")

    assert [line for line in found if "over" in line] == [
        f"{obj}.labels: 'chat' from ome, over 'fake' from metadata.labels"
        for obj in (
            "Deployment default/chat-engine metadata",
            "Deployment default/chat-engine spec.template.metadata",
            "HorizontalPodAutoscaler default/chat-engine metadata",
            "PodDisruptionBudget default/chat-engine metadata",
        )
    ]


def test_a_key_that_nothing_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "a.yaml").write_text(OTTERSCALE)

    assert main(["explain", str(tmp_path), "--key", "example.com/none"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "no rendered object has example.com/none\n")
