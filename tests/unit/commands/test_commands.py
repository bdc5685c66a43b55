"""The command line without an engine or a cluster: what is printed where, and the exit codes.

Does not prove what `status` reads from a live cluster: see tests/integration/test_commands.py.
"""

import json
from pathlib import Path

import pytest
import yaml

from modelservices.__main__ import main

GOOD = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m, namespace: inference}
spec: {source: "https://models.example.com/m.gguf"}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: chat, namespace: inference}
spec: {modelRef: m}
"""
BAD = GOOD.replace("modelRef: m", "modelRef: m, replicas: 11, contextsize: 4")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BAD)
    (tmp_path / "stacks/dev").mkdir(parents=True)
    (tmp_path / "stacks/dev/a.yaml").write_text(GOOD)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


LEFT_OUT = "left out: PriorityClass llmkube-normal (the cluster needs it once: LLMKube's chart has it, or --stack)"


def kinds(stream: str) -> list[str]:
    return [obj["kind"] for obj in yaml.safe_load_all(stream)]


def test_render_prints_sorted_objects(folder: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "render", "good.yaml")
    assert (code, kinds(out), err) == (0, ["Deployment", "PersistentVolumeClaim", "Service"], f"{LEFT_OUT}\n")


def test_render_of_bad_input_prints_every_error_and_no_object(folder: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "render", "bad.yaml")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "bad.yaml:10: InferenceService inference/chat: spec.contextsize: "
        "is not a known field of LLMKube 0.8.1 to 0.9.19; did you mean contextSize?",
        "bad.yaml:10: InferenceService inference/chat: spec.replicas: must be between 0 and 10, got 11",
    ]


def test_render_into_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "render", "good.yaml", "--output", "out")
    assert (code, out, err) == (0, "", f"{LEFT_OUT}\n3 objects in out, 3 files changed\n")
    assert sorted(str(path.relative_to(folder / "out")) for path in (folder / "out").rglob("*.yaml")) == [
        "inference/deployment-chat.yaml",
        "inference/persistentvolumeclaim-llmkube-model-cache.yaml",
        "inference/service-chat.yaml",
    ]


def test_render_never_overwrites_files_of_others(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "out/inference").mkdir(parents=True)
    (folder / "out/inference/service-chat.yaml").write_text("mine: true\n")
    code, _, err = run(capsys, "render", "good.yaml", "--output", "out")
    assert code == 1
    assert "was not written by modelservices" in err


def test_render_of_a_stack_brings_what_the_chart_would(folder: Path, capsys: pytest.CaptureFixture[str]):
    settings = (
        "config:\n  modelservices:settings: {llmkube: {modelCacheSize: 7Gi}}\n  modelservices:token: {secure: x}\n"
    )
    (folder / "Pulumi.dev.yaml").write_text(settings)
    code, out, err = run(capsys, "render", "--stack", "dev")
    assert "PriorityClass" not in err
    assert (code, kinds(out)) == (0, ["Deployment", "PersistentVolumeClaim", "PriorityClass", "Service"])
    assert "storage: 7Gi" in out


def test_render_leaves_secrets_out_and_says_so(folder: Path, capsys: pytest.CaptureFixture[str]):
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData: {a: '${secret:b}'}\n"
    (folder / "secret.yaml").write_text(text)
    code, out, err = run(capsys, "render", "secret.yaml")
    assert (code, out, err) == (0, "", "left out: Secret n/s (its values are Pulumi secrets)\n")


def test_settings_from_a_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "settings.yaml").write_text("llmkube: {modelCacheMode: perService}\n")
    _, out, _ = run(capsys, "render", "good.yaml", "--settings", "settings.yaml")
    assert "name: chat-model-cache" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("llmkube: {modelCacheMod: x}", "settings.yaml: settings: llmkube.modelCacheMod: is not a known field; did you mean modelCacheMode?"),  # noqa: E501
        ("llmkub: {}", "settings.yaml: settings: llmkub: is not a known field; did you mean llmkube?"),
        ("[a]", "settings.yaml:1: document 1: must be a mapping, got a list"),
        ("llmkube: {}\n---\nome: {}", "settings.yaml: has 2 documents, but only one is read; join them"),
    ],
)  # fmt: skip
def test_bad_settings(folder: Path, capsys: pytest.CaptureFixture[str], text: str, message: str):
    (folder / "settings.yaml").write_text(text)
    code, out, err = run(capsys, "render", "good.yaml", "--settings", "settings.yaml")
    assert (code, out, err) == (1, "", f"{message}\n")


@pytest.mark.parametrize("text", ["", "# llmkube: {}\n"])
def test_settings_that_say_nothing(folder: Path, capsys: pytest.CaptureFixture[str], text: str):
    (folder / "settings.yaml").write_text(text)
    assert run(capsys, "render", "good.yaml", "--settings", "settings.yaml") == run(capsys, "render", "good.yaml")


def test_a_place_that_can_not_be_written(folder: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = run(capsys, "render", "good.yaml", "--output", "good.yaml")
    assert (code, err) == (1, f"{LEFT_OUT}\ngood.yaml/inference: can't be written: not a directory\n")


def test_validate(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "validate", "good.yaml") == (0, "", "")
    code, out, _ = run(capsys, "validate", "bad.yaml")
    assert code == 1
    assert len(out.splitlines()) == 2


def test_validate_as_json(folder: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "validate", "good.yaml", "--format", "json")
    assert (code, json.loads(out)) == (0, [])
    code, out, _ = run(capsys, "validate", "bad.yaml", "--format", "json")
    assert code == 1
    assert json.loads(out)[1] == {
        "file": "bad.yaml",
        "line": 10,
        "object": "InferenceService inference/chat",
        "path": "spec.replicas",
        "key": None,
        "severity": "error",
        "code": "bad-value",
        "message": "must be between 0 and 10, got 11",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render"], "give a PATH of manifests, or --stack NAME"),
        (["render", "x.yaml", "--stack", "dev"], "give either --stack, or PATH and --settings"),
        (["render", "--stack", "nope"], "Pulumi.nope.yaml: does not exist, so there is no stack 'nope'"),
        (["render", "missing.yaml"], "missing.yaml: does not exist"),
        (["schema", "Nope"], "there is no kind 'Nope'; known are "),
    ],
)
def test_misuse_is_said_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_schema_of_one_kind_completes_its_fields(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "schema", "ModelService")
    schema = json.loads(out)
    assert schema["properties"]["kind"] == {"enum": ["ModelService"]}
    assert "Strings" not in out
    (rule,) = schema["allOf"]
    definition = schema["$defs"][rule["then"]["$ref"].rpartition("/")[2]]
    assert set(definition["required"]) >= {"apiVersion", "kind", "metadata", "spec"}


def test_every_field_of_every_schema_has_a_description(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "schema", "InferenceService")
    silent = [
        f"{name}.{field}"
        for name, definition in json.loads(out)["$defs"].items()
        for field, body in definition.get("properties", {}).items()
        if "description" not in body and "$ref" not in body and name not in ("ObjectMeta", "Manifest")
        and field not in ("apiVersion", "kind", "metadata", "spec", "status")
    ]  # fmt: skip
    assert silent == []


def test_schema_of_the_stack_file(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "schema", "stack")
    properties = json.loads(out)["properties"]["config"]["properties"]
    shared = ("manifests", "services", "patches", "settings")
    keys = (*shared, "target", "tenants", "createNamespaces", "adopt", "adopted")
    assert set(properties) == {f"modelservices:{name}" for name in keys}


CHART = """
modelArtifacts: {name: org/tiny, uri: "oci://registry.example.com/tiny:1"}
decode:
  replicas: 2
  volumes: [{name: extra, emptyDir: {}}]
"""


def test_convert_makes_a_manifest_that_renders(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "values.yaml").write_text(CHART)
    code, out, err = run(capsys, "convert", "values.yaml", "--namespace", "llm")
    assert (code, kinds(out)) == (0, ["ModelService"])
    assert [line.split(": ")[:4] for line in err.splitlines()] == [
        ["warning", "values.yaml:5", "values", "decode.volumes"],
        ["info", "values.yaml:2", "values", "modelArtifacts.uri"],
        ["info", "values.yaml:2", "values", "routing"],
    ]
    (folder / "made.yaml").write_text(out)
    code, out, _ = run(capsys, "render", "made.yaml")
    assert (code, "Deployment" in kinds(out)) == (0, True)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (CHART.replace("replicas: 2", "replicas: two"), "decode.replicas"),
        (CHART.replace("name: org/tiny, ", ""), "modelArtifacts.name"),
        (GOOD, "must be one values file"),
        ("a: [", "document 1"),
    ],
    ids=["value", "required", "a manifest", "yaml"],
)
def test_convert_of_invalid_values_prints_findings_and_no_manifest(
    text: str, path: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    (folder / "values.yaml").write_text(text)
    code, out, err = run(capsys, "convert", "values.yaml")
    assert (code, out) == (1, "")
    refused = [line for line in err.splitlines() if not line.startswith(("warning: ", "info: "))]
    assert len(refused) == 1 and path in refused[0]


def test_a_values_file_among_manifests_is_sent_to_convert(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "values.yaml").write_text(CHART)
    code, _, err = run(capsys, "render", "values.yaml")
    assert (code, "`modelservices convert FILE`" in err) == (1, True)
