"""Objects as YAML. Does not prove that an API server takes them: see tests/integration/test_strict_validation.py."""

import os
from pathlib import Path

import pytest
import yaml

from modelservices.manifests.documents import parse
from modelservices.planning.yaml_files import HEADER, file_name, stream, write


def config_map(name: str, namespace: str | None = "n", **data: str) -> dict:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


TEXTS = [
    *("yes", "on", "null", "~", "", "1", "08", "1e3", "0x1F", "1.10", "2026-03-25", "12:30", "true", ".5", "+1"),
    *(
        "a: b",
        "#c",
        "- d",
        " e ",
        "line\nline\n",
        "tab\tx",
        "ü",
        "{{ x }}",
        "*a",
        "&a",
        "!a",
        "%a",
        "'",
        '"',
        "=",
        "<<",
    ),
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_reads_back_as_itself(text: str):
    rendered = stream([config_map("a", key=text)])
    assert yaml.safe_load(rendered)["data"]["key"] == text
    read = parse(rendered, "f")[0][0].data["data"]["key"]
    assert read == text


@pytest.mark.parametrize("text", ["08", "1e3", "0o17", "1_000", "-5", ".5", "+1"])
def test_texts_that_some_readers_take_for_numbers_are_quoted(text: str):
    assert f"key: '{text}'" in stream([config_map("a", key=text)])


def test_scripts_stay_readable():
    assert "key: |\n    set -eu\n    exit 0\n" in stream([config_map("a", key="set -eu\nexit 0\n")])


def test_one_document_each_in_the_order_given_without_aliases():
    shared = {"a": "b"}
    objects = [{**config_map("b"), "data": shared}, {**config_map("a"), "data": shared}]
    text = stream(objects)
    assert list(yaml.safe_load_all(text)) == objects
    assert "&" not in text
    assert stream([]) == ""


def test_file_names():
    assert file_name(config_map("a")) == "n/configmap-a.yaml"
    assert file_name(config_map("a", None)) == "configmap-a.yaml"


def test_a_folder_is_kept_in_step(tmp_path: Path):
    assert len(write([config_map("a"), config_map("b")], tmp_path)) == 2
    assert write([config_map("a"), config_map("b")], tmp_path) == []
    changed = write([config_map("a", key="new")], tmp_path)
    assert sorted(path.name for path in changed) == ["configmap-a.yaml", "configmap-b.yaml"]
    assert [path.name for path in tmp_path.rglob("*.yaml")] == ["configmap-a.yaml"]
    assert (tmp_path / "n/configmap-a.yaml").read_text().startswith(HEADER)


def test_files_of_others_are_left_alone(tmp_path: Path):
    (tmp_path / "n").mkdir()
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    write([config_map("a")], tmp_path)
    assert (tmp_path / "kustomization.yaml").exists()
    (tmp_path / "n/configmap-b.yaml").write_text("mine: true\n")
    with pytest.raises(FileExistsError, match="was not written by modelservices"):
        write([config_map("b")], tmp_path)


def test_kinds_of_one_name_in_two_groups_are_two_files(tmp_path: Path):
    pools = [
        {**config_map("a"), "apiVersion": f"inference.networking.{group}", "kind": "InferencePool"}
        for group in ("k8s.io/v1", "x-k8s.io/v1alpha2")
    ]
    assert sorted(path.name for path in write([*pools, config_map("b")], tmp_path)) == [
        "configmap-b.yaml",
        "inferencepool.inference.networking.k8s.io-a.yaml",
        "inferencepool.inference.networking.x-k8s.io-a.yaml",
    ]


def test_a_name_that_is_too_long_for_a_file_is_shortened(tmp_path: Path):
    longest = config_map("a" * 253)
    (file,) = write([longest], tmp_path)
    assert file == tmp_path / f"n/configmap-{'a' * 190}-a6618fb1.yaml"
    assert write([longest], tmp_path) == []
    assert file_name(config_map("a" * 252 + "b")) != file_name(longest)


def test_what_is_no_file_of_ours_stays(tmp_path: Path):
    (tmp_path / "n").mkdir()
    os.mkfifo(tmp_path / "n/configmap-a.yaml")
    (tmp_path / "n/other.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileExistsError, match=r"configmap-a\.yaml was not written by modelservices"):
        write([config_map("a")], tmp_path)
    write([config_map("b")], tmp_path)
    assert (tmp_path / "n/other.yaml").read_bytes() == b"\xff\xfe"


def test_a_folder_that_is_no_path(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="is not a path"):
        write([config_map("a")], tmp_path / "\0")
