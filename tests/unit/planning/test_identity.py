"""What is kept of an object's identity, and what is said when it changes.

That it comes back from the state of a real engine is shown in tests/integration/test_policy.py.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from modelservices.kubernetes.scalars import Plain
from modelservices.manifests.documents import Document
from modelservices.planning.identity import changed_identity, record
from modelservices.stack import run
from modelservices.testing import render


def document(
    labels: Any = None,
    annotations: Any = None,
    kind: str = "InferenceService",
    group: str = "ome.io/v1beta1",
    **more: str,
) -> Document:
    metadata = {"name": "chat", "namespace": "n", "labels": labels, "annotations": annotations, **more}
    kept = {key: value for key, value in metadata.items() if value}
    return Document("chat.yaml", 1, 1, {"apiVersion": group, "kind": kind, "metadata": kept, "spec": {}})


LABELS = {"ome.io/part-of": "chat", "ome.io/version": "v0.8.0", "team": "search"}
PLACE, PART_OF = "chat.yaml: InferenceService n/chat", '["ome.io/part-of"]'
ADVICE = "it identifies the object; make a new object instead"
WAS_CHAT = f"(it was chat), but {ADVICE}"
MODE = {"ome.io/deploymentMode": "RawDeployment", "ome.io/min-replicas": "1"}


def test_only_what_identifies_an_object_is_kept() -> None:
    documents = [
        document(LABELS, MODE),
        document(LABELS, group="inference.llmkube.dev/v1alpha1", namespace="m"),
        document({"team": "search"}, name="plain"),
        document(name="bare"),
    ]
    assert record(documents) == {
        "InferenceService.ome.io n/chat": {"ome.io/part-of": "chat", "ome.io/deploymentMode": "RawDeployment"},
        "InferenceService.inference.llmkube.dev m/chat": {"ome.io/part-of": "chat"},
    }


def test_the_model_name_identifies_models_only() -> None:
    labels = {"model.ome.io/name": "llama"}
    found = record([document(labels), document(labels, kind="BaseModel", name="m")])
    assert found == {"BaseModel.ome.io n/m": {"model.ome.io/name": "llama"}}


@pytest.mark.parametrize(
    ("labels", "annotations", "said"),
    [
        (LABELS, MODE, []),
        ({**LABELS, "ome.io/version": "v0.9.0", "ome.io/component": "engine"}, MODE, []),
        ({**LABELS, "ome.io/part-of": Plain("chat")}, MODE, []),
        (
            {**LABELS, "ome.io/part-of": Plain("talk")},
            MODE,
            [f"error: {PLACE}: metadata.labels{PART_OF}: changes to talk {WAS_CHAT}"],
        ),
        (
            {"team": "search"},
            {"ome.io/deploymentMode": "MultiNode"},
            [
                f"error: {PLACE}: metadata.labels{PART_OF}: was removed {WAS_CHAT}",
                f"warning: {PLACE}: metadata.annotations[\"ome.io/deploymentMode\"]: changes to 'MultiNode' (it was "
                f"RawDeployment), but {ADVICE}",
            ],
        ),
    ],
)
def test_a_changed_identity(labels: Any, annotations: Any, said: list[str]) -> None:
    deployed = record([document(LABELS, MODE)])
    found = changed_identity(deployed, [document(labels, annotations)])
    assert [f"{finding.severity}: {finding}" for finding in found] == said
    assert all(finding.code == "immutable-changed" for finding in found)


def test_objects_that_come_and_go_are_free() -> None:
    deployed = record([document(LABELS)])
    others = [document({"ome.io/part-of": "x"}, name="other"), document({"ome.io/part-of": "x"}, namespace="m")]
    other_family = document({"ome.io/part-of": "x"}, group="inference.llmkube.dev/v1alpha1")
    assert changed_identity(deployed, [*others, other_family]) == []
    assert changed_identity(deployed, []) == []
    assert changed_identity({}, [document(LABELS)]) == []


def test_a_record_of_an_other_release_is_no_obstacle() -> None:
    deployed = {"InferenceService.ome.io n/chat": {"ome.io/unheard-of": "x", "ome.io/part-of": "chat"}, "odd": {}}
    assert changed_identity(deployed, [document(LABELS)]) == []


def test_a_stack_keeps_the_identity_of_its_manifests(tmp_path: Path) -> None:
    manifest = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "Model",
        "metadata": {"name": "bge", "labels": LABELS},
        "spec": {"source": "example/bge", "format": "safetensors"},
    }
    (tmp_path / "models.json").write_text(json.dumps(manifest))
    config = {
        "modelservices:manifests": json.dumps([str(tmp_path)]),
        "modelservices:target": json.dumps({"directory": str(tmp_path / "rendered")}),
    }
    outputs = render(run, config=config).outputs
    assert outputs["identity"] == {"Model.inference.llmkube.dev default/bge": {"ome.io/part-of": "chat"}}
