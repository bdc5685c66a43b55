"""Folders with a kustomization. What Kustomize itself prints is for the integration tests."""

from pathlib import Path

import pytest

from modelservices.manifests.documents import load

STUB = """#!/bin/sh
[ "$*" = "build {} --load-restrictor LoadRestrictionsRootOnly" ] || exit 9
{}
"""


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "overlay"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: [service.yaml]")
    (folder / "service.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unbuilt}")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    return folder


def program(overlay: Path, body: str) -> None:
    file = overlay.parent / "bin/kustomize"
    file.write_text(STUB.format(overlay, body))
    file.chmod(0o755)


def test_what_the_program_prints_is_read(overlay: Path):
    program(overlay, "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: built}\\n'")
    documents, findings = load([overlay])
    assert [(document.file, document.object, document.line) for document in documents] == [
        (str(overlay), "ConfigMap built", 0)
    ]
    assert findings == []


def test_what_it_complains_of_is_a_finding(overlay: Path):
    program(overlay, "echo 'Error: no such file' >&2; exit 1")
    documents, (finding,) = load([overlay])
    assert documents == []
    assert (finding.file, finding.code) == (str(overlay), "kustomize")
    assert finding.message == "can't be built by kustomize: no such file"


def test_a_complaint_is_the_same_in_each_run(overlay: Path):
    program(
        overlay, """echo 'E1128 15:42:30.457033    2098 run.go:72] "command failed" err="no such file"' >&2; exit 1"""
    )
    _, (finding,) = load([overlay])
    assert finding.message == """can't be built by kustomize: "no such file\""""


def test_without_the_program_the_folder_is_refused_with_what_to_do(overlay: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(overlay.parent / "bin"))
    _, (finding,) = load([overlay])
    assert finding.code == "kustomize-missing"
    assert "neither kustomize nor kubectl is on PATH" in finding.message


def test_which_of_several_is_meant_is_not_guessed(overlay: Path):
    documents, (finding,) = load([overlay.parent])
    assert documents == []
    assert (finding.code, str(overlay) in finding.message) == ("kustomize-several", True)
