"""What is read out of the engine's preview. That the engine says it so is shown in tests/integration."""

from typing import Any

from modelservices.commands.replacements import replacements


def step(op: str, kind: str, **fields: Any) -> dict[str, Any]:
    inputs = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "namespace": "n"}}
    return {"op": op, "oldState": {"inputs": inputs}, **fields}


def test_replaced_objects_are_named_with_the_fields_and_what_it_means():
    diff = {"metadata.namespace": {"kind": "update-replace"}, "metadata.labels": {"kind": "update"}}
    preview = {
        "steps": [
            step("create-replacement", "PersistentVolumeClaim", detailedDiff=diff),
            step("replace", "PersistentVolumeClaim", detailedDiff=diff),
            step("delete-replaced", "PersistentVolumeClaim", detailedDiff=diff),
            step("replace", "Service", replaceReasons=["provider"]),
            step("update", "Deployment", detailedDiff=diff),
            {"op": "replace", "oldState": {"type": "pulumi:providers:kubernetes", "inputs": {}}},
        ]
    }
    assert list(replacements(preview)) == [
        (
            "PersistentVolumeClaim",
            "PersistentVolumeClaim n/x: deleted and made again, and what is in it lost: metadata.namespace changes",
        ),
        ("Service", "Service n/x: deleted and made again: provider changes"),
    ]
