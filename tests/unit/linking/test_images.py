"""Images that are no references. Not proved here: what a node says of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.families.kserve import services as kserve
from tests.unit.families.llmkube.render import plan

GOOD = [
    "vllm",
    "my_image:1",
    "vllm/vllm-openai:v0.25.1",
    "localhost:5000/a/b__c",
    "Registry.example.com/a--b/c.d:V1",
    f"ghcr.io/a/b:1@sha256:{'0' * 64}",
]
BAD = [
    "https://ghcr.io/a/b:1",
    "oci://a/b:1",
    "ghcr.io/Org/Model:1",
    "a/b:1 ",
    "a b",
    "a/b:",
    "a/b:1:2",
    "a/b@latest",
    f"a/b:{'1' * 129}",
]


def bad(found: Any) -> list[tuple[str, str, str]]:
    return [(f.object, f.path, f.severity) for f in found.findings if f.code == "bad-image"]


@pytest.mark.parametrize("image", [*GOOD, *BAD])
def test_of_a_manifest(image: str) -> None:
    expected = [("InferenceService ai/chat", "spec.image", "warning")] if image in BAD else []
    assert bad(plan({"image": image})) == expected


def test_of_a_setting_it_is_said_at_the_object() -> None:
    found = plan(settings={"initContainerImage": "https://curl"})
    assert bad(found) == [("InferenceService ai/chat", "metadata.name", "warning")]
    (finding,) = [f for f in found.findings if f.code == "bad-image"]
    assert finding.message.startswith("'https://curl' is not an image reference, so the pods never start; write ")


def test_in_groups_of_pods() -> None:
    found = kserve.plan(kserve.manifest({**kserve.DATA_PARALLEL, "worker": kserve.main(image="a/b:1:2")}))
    assert bad(found) == [("LLMInferenceService models/chat", "spec.worker.containers[0].image", "warning")]
