"""Names can't be paths: in manifests, in passed-through objects, in references, or in rendered objects.

Not proven here: which names the kinds of an API server accept beyond the common rule.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from modelservices.__main__ import main
from modelservices.findings import Problem
from modelservices.kubernetes.metadata import is_object_name, name_problems
from modelservices.kubernetes.model import Manifest, ObjectMeta
from modelservices.linking.objects import bad_names
from modelservices.planning.yaml_files import file_name, write
from tests.unit.records import single, source

ATTACKS = Path(__file__).parent / "attacks"


def config_map(name: str, namespace: str = "n") -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The errors of a render that must write nothing, without the file's name."""
    before = sorted(tmp_path.rglob("*"))
    assert main(["render", *arguments, "--output", str(tmp_path / "a" / "b" / "out")]) == 1
    assert sorted(tmp_path.rglob("*")) == before
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("warning: ")]
    return [re.split(r"\.yaml:\d+: ", line, maxsplit=1)[-1] for line in lines]


def test_pass_traversal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("passthrough: [{apiVersion: example.com/v1, kind: Foo}]")
    lines = refused(tmp_path, capsys, str(ATTACKS / "pass-traversal.yaml"), "--settings", str(settings))
    assert [line.split(", got ")[0].split(": must")[0] for line in lines] == [
        "Foo ../../../../../../tmp/rt-escape/y: metadata.name",
        "Foo ../../../../../../tmp/rt-escape/y: metadata.namespace",
    ]


def test_traversal_refgrant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = refused(tmp_path, capsys, str(ATTACKS / "traversal-refgrant.yaml"))
    assert line == (
        "LLMInferenceService team-a/evil: spec.router.route.http.spec.rules[0].backendRefs[0].namespace: must be "
        "lower-case letters, digits and '-', at most 63 characters, got '../../work-x/.github/workflows'"
    )


BAD = ["a/b", "..", "A", "a b", "a\nb", "-a", "a" * 254, "a..b", "über"]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Secret"),
        ("example.com/v1", "Foo"),
        ("v1", "ConfigMap"),
        ("ome.io/v1beta1", "ClusterBaseModel"),
        ("inference.llmkube.dev/v1alpha1", "Model"),
        ("serving.kserve.io/v1alpha2", "LLMInferenceServiceConfig"),
    ],
)
def test_a_bad_name_is_an_error_whatever_the_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], api_version: str, kind: str, name: str
) -> None:
    (tmp_path / "settings.yaml").write_text("passthrough: [{apiVersion: example.com/v1, kind: Foo}]")
    obj = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "a"}}
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "x.yaml").write_text(yaml.safe_dump(obj | SPECS.get(kind, {})))
    lines = refused(tmp_path, capsys, str(tmp_path / "m"), "--settings", str(tmp_path / "settings.yaml"))
    assert sum(": metadata.name: " in line for line in lines) == 1


SPECS = {
    "Model": {"spec": {"source": "https://m.example.com/m.gguf"}},
    "ClusterBaseModel": {"spec": {"modelFormat": {"name": "safetensors"}, "storage": {"storageUri": "hf://a/b"}}},
    "LLMInferenceServiceConfig": {"spec": {}},
}


@pytest.mark.parametrize(
    ("api_version", "name", "good"),
    [
        ("rbac.authorization.k8s.io/v1", "system:Node", True),
        ("rbac.authorization.k8s.io/v1", "a/b", False),
        ("rbac.authorization.k8s.io/v1", "..", False),
        ("rbac.authorization.k8s.io/v1", "a%2fb", False),
        ("rbac.authorization.k8s.io/v1", "", False),
        ("apps/v1", "system:node", False),
        ("apps/v1", "a.b-c", True),
    ],
)
def test_names_by_api(api_version: str, name: str, good: bool) -> None:
    assert is_object_name(api_version, name) is good


def test_a_rendered_object_with_a_bad_name() -> None:
    manifest = Manifest(apiVersion="x/v1", kind="Foo", metadata=ObjectMeta(name="good", namespace="n"))
    objects = single(source(manifest), config_map("a"), config_map("../b"), config_map("c", "N"))
    assert [problem for _, problem in bad_names(objects)] == [
        Problem(
            "metadata.name",
            f"would make ConfigMap {made}, a name that the API server refuses; choose a shorter or simpler name",
            code="bad-name",
        )
        for made in ("n/../b", "N/c")
    ]


def test_it_is_said_once_where_the_manifest_has_the_bad_name() -> None:
    manifest = Manifest(apiVersion="x/v1", kind="Foo", metadata=ObjectMeta(name="../b", namespace="n"))
    assert list(bad_names(single(source(manifest), config_map("../b")))) == []
    assert [problem.path for problem in name_problems(manifest.metadata)] == ["metadata.name"]


@pytest.mark.parametrize(("name", "namespace"), [("../../a", "n"), ("a", ".."), ("a", "/etc"), ("a/b", ""), ("/a", "")])
def test_the_writer_writes_no_path(tmp_path: Path, name: str, namespace: str) -> None:
    folder = tmp_path / "a" / "b"
    with pytest.raises(FileExistsError, match="is a path, so it is not written"):
        write([config_map("good"), config_map(name, namespace)], folder)
    assert list(tmp_path.rglob("*.yaml")) == []


@pytest.mark.parametrize("link", ["n", "n/configmap-a.yaml"])
def test_the_writer_follows_no_link(tmp_path: Path, link: str) -> None:
    folder, outside = tmp_path / "out", tmp_path / "outside"
    (folder / "n").mkdir(parents=True)
    outside.mkdir()
    if link == "n":
        (folder / "n").rmdir()
    (folder / link).symlink_to(outside if link == "n" else outside / "x.yaml")
    with pytest.raises(FileExistsError, match="is a symbolic link to another place"):
        write([config_map("a")], folder)
    assert list(outside.iterdir()) == []


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    assert len(write([config_map("a")], tmp_path / "out")) == 1
    assert (tmp_path / "real" / file_name(config_map("a"))).exists()


def test_the_writer_removes_only_files_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write([config_map("a")], tmp_path / "other")
    write([config_map("a"), config_map("b")], folder)
    (folder / "link.yaml").symlink_to(tmp_path / "other" / "n" / "configmap-a.yaml")
    write([config_map("a")], folder)
    assert sorted(path.name for path in tmp_path.rglob("*.yaml")) == [
        "configmap-a.yaml",
        "configmap-a.yaml",
        "link.yaml",
    ]
