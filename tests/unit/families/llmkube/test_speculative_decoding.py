"""llama.cpp's speculative decoding: flags, and the draft model beside the served one in the pod."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.llmkube.sources import cache_key

from .render import KEY, SOURCE, brief, manifest, plan, plan_of, pod, rendered, server

DRAFT = "https://models.example.com/draft.gguf"
DRAFT_PATH = f"/models/{cache_key(DRAFT)}/small.gguf"
SMALL = manifest("Model", "small", spec={"source": DRAFT})
BESIDE = {"speculativeDecoding": {"type": "draft", "draftModelRef": "small"}}
WITHIN = {"speculativeDecoding": {"type": "draft", "draftModel": "small.gguf"}}
FILES = {"source": "org/name", "files": ["m.gguf", "small.gguf"]}


NGRAM = "--spec-type ngram-mod --spec-draft-n-max 3 --spec-draft-p-min 0.5"


def flags(decoding: Any, **more: Any) -> list[str]:
    words = server({"speculativeDecoding": decoding}, **more)["args"]
    return [word for word in words[words.index("::") + 1 :] if word != "--metrics"]


@pytest.mark.parametrize(
    ("decoding", "expected"),
    [
        ({"type": "none"}, ""),
        ({"type": "disabled", "nDraftMax": 3}, ""),
        ({"type": "mtp"}, "--spec-type draft-mtp"),
        (
            {"type": "ngram-mod", "nDraftMax": 3, "pMin": 0.5},
            "--spec-type ngram-mod --spec-draft-n-max 3 --spec-draft-p-min 0.5",
        ),
    ],
)
def test_methods_without_a_draft_model(decoding: Any, expected: str) -> None:
    assert flags(decoding) == expected.split()


@pytest.mark.parametrize(
    "kind", ["draft", "draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark", "draft-mtp", "mtp"]
)
def test_a_model_of_its_own_drafts(kind: str) -> None:
    name = {"draft": "draft-simple", "mtp": "draft-mtp"}.get(kind, kind)
    assert flags({"type": kind, "draftModelRef": "small"}, others=[SMALL]) == ["--spec-type", name, "-md", DRAFT_PATH]


def test_a_file_of_the_model_drafts() -> None:
    words = server(WITHIN, FILES)["args"]
    assert words[words.index("-md") + 1] == f"/models/{cache_key('org/name')}/small.gguf"


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, ["chat-q4"]),
        (BESIDE, ["chat-q4", "small"]),
        ({"runtime": "vllm", "vllmConfig": {"speculative": {"enabled": True, "model": "small"}}}, ["chat-q4", "small"]),
        ({"runtime": "vllm", "vllmConfig": {"speculative": {"enabled": True, "model": "a/b"}}}, ["chat-q4"]),
    ],
)
def test_a_service_builds_on_its_model_and_its_draft_model(spec: Any, names: list[str]) -> None:
    """So that `adopt` names what changed in them."""
    assert [str(used) for used in rendered(spec, others=[SMALL]).builds_on] == [f"Model ai/{name}" for name in names]


def test_both_models_are_downloaded_into_one_cache() -> None:
    template = pod(BESIDE, others=[SMALL])
    assert [container["name"] for container in template["initContainers"]] == [
        "model-cache-prep",
        "model-downloader",
        "draft-model-downloader",
    ]
    sources = [
        {variable["name"]: variable["value"] for variable in container.get("env", [])}
        for container in template["initContainers"]
    ]
    assert sources[1]["MODEL_PATH"] == f"/models/{KEY}/chat-q4.gguf"
    assert sources[2] == {"MODEL_SOURCE": DRAFT, "CACHE_DIR": f"/models/{cache_key(DRAFT)}", "MODEL_PATH": DRAFT_PATH}
    assert [volume["name"] for volume in template["volumes"]] == ["model-cache"]
    assert template["containers"][0]["volumeMounts"] == [
        {"name": "model-cache", "mountPath": "/models", "readOnly": True}
    ]


def test_two_claims_with_weights_are_mounted_apart() -> None:
    small = manifest("Model", "small", spec={"source": "pvc://drafts/d.gguf"})
    claims = {"existingClaims": ["ai/weights", "ai/drafts"]}
    template = pod(BESIDE, {"source": "pvc://weights/m.gguf"}, claims, others=[small])
    assert template["volumes"] == [
        {"name": "model-source", "persistentVolumeClaim": {"claimName": "weights", "readOnly": True}},
        {"name": "draft-model-source", "persistentVolumeClaim": {"claimName": "drafts", "readOnly": True}},
    ]
    words = template["containers"][0]["args"]
    assert words[:2] == ["--model", "/model-source/m.gguf"]
    assert words[words.index("-md") + 1] == "/draft/model-source/d.gguf"
    assert template["containers"][0]["volumeMounts"] == [
        {"name": "model-source", "mountPath": "/model-source", "readOnly": True},
        {"name": "draft-model-source", "mountPath": "/draft/model-source", "readOnly": True},
    ]


def test_two_models_on_one_claim_share_its_mount() -> None:
    small = manifest("Model", "small", spec={"source": "pvc://weights/d.gguf"})
    template = pod(BESIDE, {"source": "pvc://weights/m.gguf"}, {"existingClaims": ["ai/weights"]}, others=[small])
    assert len(template["volumes"]) == 1
    assert "/model-source/d.gguf" in template["containers"][0]["args"]


def test_models_of_the_node_are_mounted_apart() -> None:
    small = manifest("Model", "small", spec={"source": "/srv/d.gguf"})
    template = pod(BESIDE, {"source": "/srv/m.gguf"}, {"allowedHostPathRoots": ["/srv"]}, others=[small])
    paths = {volume["name"]: volume["hostPath"]["path"] for volume in template["volumes"] if "hostPath" in volume}
    assert paths == {"host-model": "/srv/m.gguf", "draft-host-model": "/srv/d.gguf"}
    mounts = template["initContainers"][2]["volumeMounts"]
    assert mounts[1] == {"name": "draft-host-model", "mountPath": "/host-model/model.gguf", "readOnly": True}


def test_a_downloaded_draft_beside_a_claim_needs_the_cache() -> None:
    found = plan(BESIDE, {"source": "pvc://weights/m.gguf"}, {"existingClaims": ["ai/weights"]}, others=[SMALL])
    assert [obj["metadata"]["name"] for obj in found.shared] == ["llmkube-model-cache"]


@pytest.mark.parametrize(
    ("decoding", "expected"),
    [
        ({"type": "draft"}, ["error spec.speculativeDecoding.draftModelRef required"]),
        ({"type": "ngram-mod", "draftModelRef": "small"}, ["error spec.speculativeDecoding.draftModelRef invalid"]),
        (
            {"type": "draft", "draftModelRef": "small", "draftModel": "x"},
            [
                "error spec.speculativeDecoding.draftModel not-found",
                "error spec.speculativeDecoding.draftModelRef invalid",
            ],
        ),
        ({"type": "draft", "draftModelRef": "smal"}, ["error spec.speculativeDecoding.draftModelRef not-found"]),
        ({"type": "draft", "draftModel": "x"}, ["error spec.speculativeDecoding.draftModel not-found"]),
    ],
)
def test_what_is_wrong(decoding: Any, expected: list[str]) -> None:
    assert brief(plan({"speculativeDecoding": decoding}, others=[SMALL]).findings) == expected


def test_a_draft_that_nobody_stages_is_said() -> None:
    found = plan({**BESIDE, "skipModelInit": True}, others=[SMALL])
    assert brief(found.findings) == [
        "warning spec.skipModelInit no-model",
        "warning spec.speculativeDecoding.draftModelRef draft-not-staged",
    ]


def test_an_own_draft_takes_the_place_of_the_field_that_names_one() -> None:
    for spec, model in ((BESIDE, None), (WITHIN, FILES)):
        own = {**spec, "extraArgs": ["--spec-draft-model", "/mine.gguf"]}
        (found,) = [f for f in plan(own, model, others=[SMALL]).findings if f.code == "overridden"]
        (field,) = {"draftModel", "draftModelRef"} & spec["speculativeDecoding"].keys()
        assert found.path == f"spec.speculativeDecoding.{field}"
        assert found.message == "has no effect, because --spec-draft-model in extraArgs overrides it; keep one of them"


def test_a_draft_with_errors_of_its_own_is_not_called_missing() -> None:
    documents = [
        manifest("Model", "chat-q4", spec={"source": SOURCE}),
        manifest("Model", "small", spec={"source": DRAFT, "colour": 1}),
        manifest("InferenceService", "chat", spec={"modelRef": "chat-q4", **BESIDE}),
    ]
    assert brief(plan_of(documents).findings) == [
        "error spec.colour unknown-field",
        "info spec.speculativeDecoding.draftModelRef broken-reference",
    ]


@pytest.mark.parametrize("runtime", ["vllm", "llamacpp-router"])
def test_only_llama_cpp_decodes_so(runtime: str) -> None:
    found = plan({**BESIDE, "runtime": runtime, "image": "i", "extraVolumeMounts": MODELS, "extraVolumes": VOLUME})
    assert "warning spec.speculativeDecoding no-effect" in brief(found.findings)


MODELS = [{"name": "m", "mountPath": "/models"}]
VOLUME = [{"name": "m", "emptyDir": {}}]
