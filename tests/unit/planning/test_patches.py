"""Patches of a stack. Not proved: that what they leave is what its kind takes; reading the manifest says that."""

from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import Finding
from modelservices.manifests.documents import Document
from modelservices.planning.patches import Patch, PatchTarget, merged, patched, without
from modelservices.stack_config import plan_stack, read_config


def document(kind: str, name: str, spec: dict[str, Any], group: str = "example.com") -> Document:
    return Document(
        "a.yaml", 1, 1, {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    )


def patch(target: dict[str, str], **fields: Any) -> Patch:
    return Patch(target=PatchTarget(**target), **fields)


def specs(documents: list[Document]) -> list[Any]:
    return [each.data["spec"] for each in documents]


def shown(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.path, finding.severity, finding.code) for finding in findings]


@pytest.mark.parametrize(
    ("value", "change", "result"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({}, {"a": {"b": 2}}, {"a": {"b": 2}}),
    ],
)
def test_mappings_are_merged_and_everything_else_replaced(value: Any, change: Any, result: Any):
    assert merged(value, change) == result


def test_fields_and_items_are_taken_away():
    value = {"a": {"b": [{"c": 1}, {"d": 2}]}}
    assert without(value, ["a", "b", 0]) == {"a": {"b": [{"d": 2}]}}
    assert without(value, ["a", "b", 1, "d"]) == {"a": {"b": [{"c": 1}, {}]}}
    assert without(value, ["a", "x"]) == value


@pytest.mark.parametrize(
    ("target", "changed"),
    [
        ({"kind": "A"}, [9, 9, 1]),
        ({"name": "x*"}, [9, 1, 9]),
        ({"kind": "A", "name": "y"}, [1, 9, 1]),
        ({"group": "other.com"}, [1, 1, 9]),
    ],
)
def test_a_target_fits_by_everything_that_it_says(target: dict[str, str], changed: list[int]):
    documents = [document("A", "x", {"n": 1}), document("A", "y", {"n": 1}), document("B", "xx", {"n": 1}, "other.com")]
    result, findings = patched(documents, [patch(target, merge={"spec": {"n": 9}})], "Pulumi.dev.yaml")
    assert specs(result) == [{"n": number} for number in changed]
    assert findings == []


def test_a_patch_without_a_target_or_an_effect_is_said():
    patches = [
        patch({"name": "nope"}, merge={"spec": {"n": 2}}),
        patch({"name": "x"}, merge={"spec": {"n": 1}}, remove=["spec.other"]),
        patch({"name": "x"}, merge={"metadata": {"name": "y"}}),
    ]
    _, findings = patched([document("A", "x", {"n": 1})], patches, "Pulumi.dev.yaml")
    assert shown(findings) == [
        ("modelservices:patches[0].target", "error", "patch-target"),
        ("modelservices:patches[1]", "warning", "patch-without-effect"),
        ("modelservices:patches[2].merge.metadata.name", "error", "patch-identity"),
    ]


def test_a_stack_is_planned_with_its_patches(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(
        "apiVersion: inference.llmkube.dev/v1alpha1\nkind: Model\nmetadata: {name: m}\n"
        "spec: {source: 'https://models.example.com/m.gguf'}\n---\n"
        "apiVersion: inference.llmkube.dev/v1alpha1\nkind: InferenceService\nmetadata: {name: chat}\n"
        "spec: {modelRef: m, contextSize: 4096}\n"
    )
    patches = [{"target": {"name": "chat"}, "merge": {"spec": {"priority": "high"}}, "remove": ["spec.contextSize"]}]
    config = read_config({"manifests": ["a.yaml"], "patches": patches}, "Pulumi.dev.yaml")
    plan = plan_stack(config, "dev", tmp_path, "default").raise_for_errors()
    (pod,) = (obj["spec"]["template"]["spec"] for obj in plan.all_objects() if obj["kind"] == "Deployment")
    assert pod["priorityClassName"] == "llmkube-high"
    assert "--ctx-size" not in pod["containers"][0]["args"]
