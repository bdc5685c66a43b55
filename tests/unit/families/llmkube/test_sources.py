"""What each form of a Model's source means, names in the cache, and where the pods have their model.

Not proved here: that anything can be downloaded from there.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.llmkube.names import file_name, service_name
from modelservices.families.llmkube.sources import (
    Source,
    cache_key,
    file_of_repository,
    file_set,
    is_below,
    page_of_hub,
    parse,
    part_of,
)

from .render import KEY, SOURCE, brief, has_flag, manifest, plan, plan_of, pod, server


@pytest.mark.parametrize(
    ("text", "kind", "place", "path", "revision"),
    [
        ("org/name", "repository", "org/name", "", ""),
        ("hf://org/name", "repository", "org/name", "", ""),
        ("hf://org/name/", "repository", "org/name", "", ""),
        ("hf://org/name@v1.2", "repository", "org/name", "", "v1.2"),
        ("https://huggingface.co/org/name", "repository", "org/name", "", ""),
        ("https://huggingface.co/org/name/", "repository", "org/name", "", ""),
        ("https://hf.co/org/name", "repository", "org/name", "", ""),
        ("https://huggingface.co/org/name/tree/dev", "repository", "org/name", "", "dev"),
        ("https://huggingface.co/org/name/tree/refs%2Fpr%2F1", "repository", "org/name", "", "refs/pr/1"),
        ("https://huggingface.co/org/name/resolve/main/", "repository", "org/name", "", "main"),
        ("https://huggingface.co/org/name/resolve/main/a.gguf", "http", "", "", ""),
        ("https://huggingface.co/org/name/blob/main/a.gguf", "http", "", "", ""),
        ("https://huggingface.co/datasets/org/name", "http", "", "", ""),
        ("https://models.example.com/a.gguf", "http", "", "", ""),
        ("http://models.example.com", "http", "", "", ""),
        ("https://", "unknown", "", "", ""),
        ("s3://bucket/a/b.gguf", "s3", "bucket", "a/b.gguf", ""),
        ("s3://bucket", "s3", "bucket", "", ""),
        ("pvc://claim/a/b.gguf", "pvc", "claim", "a/b.gguf", ""),
        ("file:///srv/a.gguf", "local", "", "/srv/a.gguf", ""),
        ("/srv/a.gguf", "local", "", "/srv/a.gguf", ""),
        ("name", "unknown", "", "", ""),
        ("a/b/c", "unknown", "", "", ""),
        ("hf://name", "unknown", "", "", ""),
    ],
)
def test_parse(text: str, kind: Any, place: str, path: str, revision: str) -> None:
    assert parse(text) == Source(kind, text, place, path, revision)


@pytest.mark.parametrize(
    ("text", "model_id"),
    [
        ("hf://org/name@v1", "org/name"),
        ("https://huggingface.co/org/name/tree/dev", "org/name"),
        ("org/name", "org/name"),
        (SOURCE, SOURCE),
        ("s3://bucket/key", "s3://bucket/key"),
    ],
)
def test_model_id(text: str, model_id: str) -> None:
    assert parse(text).model_id == model_id


def test_base_url() -> None:
    assert parse("org/name").base_url == "https://huggingface.co/org/name/resolve/main/"
    assert parse("hf://org/name@refs/pr/1").base_url == "https://huggingface.co/org/name/resolve/refs%2Fpr%2F1/"


def test_a_file_of_a_repository_has_a_url() -> None:
    assert file_of_repository("hf://org/name/q4/m.gguf") == "https://huggingface.co/org/name/resolve/main/q4/m.gguf"
    assert file_of_repository("hf://org/name") == file_of_repository("https://h/a/b/c") == ""
    found = plan_of([manifest("Model", "m", spec={"source": "hf://org/name/m.gguf"})]).findings
    assert [f.message for f in found if f.path == "spec.source"] == [
        "hf://org/name/m.gguf is a file in a repository; write https://huggingface.co/org/name/resolve/main/m.gguf"
    ]


def test_cache_key_is_the_beginning_of_the_checksum_of_the_text() -> None:
    assert cache_key(SOURCE) == KEY


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("chat-q4", "chat-q4.gguf"),
        ("ruff-2.5", "ruff-2.5.gguf"),
        ("a b//c", "a-b-c.gguf"),
        ("--x--y--", "x-y.gguf"),
        ("..", "model.gguf"),
        ("a-/-b", "a-b.gguf"),
    ],
)
def test_file_name(model: str, name: str) -> None:
    assert file_name(model) == name


def test_service_name() -> None:
    assert service_name("ruff.v2.5") == "ruff-v2-5"


@pytest.mark.parametrize(
    ("path", "roots", "allowed"),
    [
        ("/srv/weights/a", ["/srv/weights"], True),
        ("/srv/weights/a", ["/srv/weights/"], True),
        ("/srv/weights2/a", ["/srv/weights"], False),
        ("/srv/weights", ["/srv/weights"], False),
        ("/srv/weights/../../etc/a", ["/srv/weights"], False),
        ("/srv/weights//a", ["/srv/weights"], True),
        ("/a", ["/"], True),
        ("/a", [], False),
    ],
)
def test_allowed_folders(path: str, roots: list[str], allowed: bool) -> None:
    assert is_below(path, roots) == allowed


def test_file_set() -> None:
    assert file_set(["a", "b", "a"], "p") == ["a", "b", "p"]
    assert file_set(["p", "a"], "p") == ["p", "a"]
    assert file_set([], "") == []


REPOSITORY = {"source": "hf://org/name@v1", "files": ["a.gguf", "sub/b.gguf"], "mmproj": "p.gguf"}
BUCKET = {"source": "s3://bucket/pre/fix", "files": ["a.gguf"], "sourceSecretRef": {"name": "keys"}}
CLAIM = manifest("PersistentVolumeClaim", "weights", spec={"accessModes": ["ReadOnlyMany"]})


@pytest.mark.parametrize(
    ("spec", "model", "settings", "volume", "path"),
    [
        ({}, {}, {}, "model-cache", f"/models/{KEY}/chat-q4.gguf"),
        ({}, {}, {"modelCachePath": ""}, "model-storage", "/models/ai-chat-q4.gguf"),
        ({}, REPOSITORY, {}, "model-cache", f"/models/{cache_key('hf://org/name@v1')}/a.gguf"),
        ({}, REPOSITORY, {"modelCachePath": ""}, "model-storage", "/models/ai-chat-q4/a.gguf"),
        ({}, {"source": "pvc://weights//a/b.gguf"}, {}, "model-source", "/model-source/a/b.gguf"),
        ({"skipModelInit": True}, {"source": "pvc://weights/a.gguf"}, {}, "model-source", "/model-source/a.gguf"),
        ({"skipModelInit": True}, {}, {}, None, None),
    ],
)
def test_where_llama_cpp_finds_its_model(
    spec: Any, model: Any, settings: Any, volume: str | None, path: str | None
) -> None:
    template = pod(spec, model, settings, others=[CLAIM])
    words = template["containers"][0]["args"]
    assert [item["name"] for item in template.get("volumes", [])] == ([volume] if volume else [])
    assert has_flag(words, "--model", path) == bool(path)


def test_a_vision_projector_is_beside_the_model() -> None:
    folder = f"/models/{cache_key('hf://org/name@v1')}"
    assert has_flag(server({}, REPOSITORY)["args"], "--mmproj", f"{folder}/p.gguf")


@pytest.mark.parametrize(
    ("model", "source"),
    [
        ({"source": "org/name", "format": "safetensors"}, "org/name"),
        ({"source": "hf://org/name@v1", "format": "safetensors"}, "org/name"),
        ({"source": "org/name", "format": "safetensors", "files": ["a"]}, f"/models/{cache_key('org/name')}"),
        ({"source": "org/name", "files": ["a.gguf"]}, f"/models/{cache_key('org/name')}/a.gguf"),
        ({}, f"/models/{KEY}/chat-q4.gguf"),
    ],
)
def test_where_vllm_finds_its_model(model: Any, source: str) -> None:
    assert server({"runtime": "vllm"}, model)["args"][0] == source


def test_vllm_is_told_the_revision_by_a_flag_of_its_own() -> None:
    words = server({"runtime": "vllm"}, {"source": "hf://org/name@v1", "format": "safetensors"})["args"]
    assert has_flag(words, "--revision", "v1")


def test_a_repository_needs_neither_downloader_nor_cache() -> None:
    template = pod({"runtime": "vllm"}, {"source": "org/name", "format": "safetensors"})
    assert not {"initContainers", "volumes"} & set(template)


@pytest.mark.parametrize(
    ("status", "path"),
    [
        ({"cacheKey": "0123abcd", "path": "/models/0123abcd/Demo-8B.gguf"}, f"/models/{KEY}/Demo-8B.gguf"),
        ({"cacheKey": "../../etc", "path": 5, "phase": "Ready"}, f"/models/{KEY}/chat-q4.gguf"),
        ({"gguf": {"modelName": "Demo 8B / Instruct"}}, f"/models/{KEY}/Demo-8B-Instruct.gguf"),
        ({"path": "/models/x/old.gguf", "gguf": {"modelName": "Demo 8B"}}, f"/models/{KEY}/old.gguf"),
        ({"gguf": {"modelName": "../"}}, f"/models/{KEY}/chat-q4.gguf"),
        ("nonsense", f"/models/{KEY}/chat-q4.gguf"),
    ],
)
def test_a_dumped_status_names_the_file_but_never_the_folder(status: Any, path: str) -> None:
    model = manifest("Model", "chat-q4", spec={"source": SOURCE}, status=status)
    service = manifest("InferenceService", "chat", spec={"modelRef": "chat-q4"})
    (found,) = plan_of([model, service]).raise_for_errors().services
    words = found.objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert has_flag(words, "--model", path)


HUB = "https://huggingface.co/org/name"
PARTS = ["a-00001-of-00002.gguf", "a-00002-of-00002.gguf"]


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (f"{HUB}/raw/main/q/a.gguf", f"{HUB}/resolve/main/q/a.gguf"),
        (f"{HUB}/tree/v1/q", f"{HUB}/resolve/v1/q"),
        ("https://hf.co/org/name/blob/main/a.gguf?x=1", f"{HUB}/resolve/main/a.gguf"),
        (f"{HUB}/blob/main/a.gguf", ""),  # the download knows it
        (f"{HUB}/resolve/main/a.gguf", ""),
        (f"{HUB}/tree/main", ""),
        ("https://models.example.com/org/name/raw/main/a.gguf", ""),
    ],
)
def test_pages_of_the_hub(text: str, file: str) -> None:
    assert page_of_hub(text) == file


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"source": f"{HUB}/raw/main/a.gguf"}, ["warning spec.source no-file"]),
        ({"source": f"https://a.example/{PARTS[0]}"}, ["warning spec.source missing-parts"]),
        ({"source": f"{HUB}/resolve/main/{PARTS[0]}?download=true"}, ["warning spec.source missing-parts"]),
        ({"source": "https://a.example/a-00001-of-00001.gguf"}, []),
        ({"source": "org/name", "files": PARTS}, []),
        ({"source": "org/name", "files": PARTS[:1]}, ["warning spec.files missing-parts"]),
        ({"source": "org/name", "files": PARTS[::-1]}, ["warning spec.files[0] missing-parts"]),
        ({"source": f"pvc://weights/{PARTS[0]}"}, []),
        ({"source": f"pvc://weights/{PARTS[1]}"}, ["warning spec.source missing-parts"]),
        ({"source": "https://a.example/a.safetensors"}, ["warning spec.modelRef wrong-format"]),
        ({"source": "org/name", "files": ["a.gguf"], "format": "mlx"}, ["warning spec.modelRef wrong-format"]),
        ({"source": "https://a.example/model"}, []),
    ],
)
def test_what_no_server_can_load(model: dict[str, Any], expected: list[str]) -> None:
    assert brief(plan({}, model, {"existingClaims": ["ai/weights"]}).findings) == expected


def test_the_parts_of_a_model() -> None:
    found = part_of("q/a-00002-of-00003.gguf")
    assert found is not None
    assert (found.number, found.count) == (2, 3)
    assert found.others == ["q/a-00001-of-00003.gguf", "q/a-00003-of-00003.gguf"]
    assert part_of("a.gguf") is part_of("a-00001-of-00001.gguf") is None
