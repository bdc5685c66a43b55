"""``init`` makes a project whose stack can be planned. That it runs on a cluster is for tests/newcomer."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from modelservices.__main__ import main
from modelservices.commands import init
from modelservices.commands.sources import plan_named_stack


def test_a_new_project_plans_one_service_on_cpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "models"
    assert main(["init", str(folder)]) == 0
    assert f"cd {folder}" in capsys.readouterr().out
    assert (folder / "requirements.txt").read_text().startswith("modelservices")

    monkeypatch.chdir(folder)
    plan = plan_named_stack("dev")

    assert [(service.kind, service.namespace, service.name) for service in plan.services] == [
        ("InferenceService", "models", "chat")
    ]
    assert [str(finding) for finding in plan.findings] == []
    kinds = {obj["kind"] for service in plan.services for obj in service.all_objects()}
    assert kinds == {"Deployment", "Service"}, "no claim, no secret, no CRD"
    (deployment,) = [obj for obj in plan.services[0].all_objects() if obj["kind"] == "Deployment"]
    assert "nvidia.com/gpu" not in str(deployment)


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (
            {"url": "https://git.example.com/m.git", "vcs_info": {"vcs": "git", "commit_id": "1a2b"}},
            "modelservices @ git+https://git.example.com/m.git@1a2b",
        ),
        ({"url": "file:///home/me/m", "dir_info": {}}, "modelservices==1.2.3"),
        (None, "modelservices==1.2.3"),
    ],
)
def test_the_package_is_required_as_it_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: Any, requirement: str
):
    text = origin and json.dumps(origin)
    installed = SimpleNamespace(version="1.2.3", read_text={"direct_url.json": text}.get)
    monkeypatch.setattr(init, "distribution", lambda name: installed)
    assert main(["init", str(tmp_path / "models")]) == 0
    assert (tmp_path / "models/requirements.txt").read_text() == f"{requirement}\n"


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "own.txt").touch()
    assert main(["init", str(tmp_path)]) == 1
    assert "is not empty; choose another folder" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["own.txt"]
