"""The package, installed as users install it, works beside folders with the same names as ours.

Not proven here: an installation from a Git address, which differs only in the origin of the files. The dependencies
come from this environment.
"""

import os
from pathlib import Path

import pytest

from tests.integration.wheel import run

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "platform-repo"

PROGRAM = """
from components.own import NAME
from policy import LIMIT
from modelservices import InferenceServiceComponent
from modelservices.testing import render

model = {"source": "https://models.example.com/chat.gguf"}
args = {"namespace": NAME, "model": model, "spec": {"modelRef": "chat", "replicas": LIMIT}}
print(render(lambda: InferenceServiceComponent("chat", args)).object("Deployment", "chat")["spec"]["replicas"])
"""


@pytest.fixture(scope="module")
def environment(installed: tuple[Path, Path]) -> Path:
    """A virtual environment with the wheel."""
    return installed[0]


def test_a_platform_teams_repository_passes_its_tests(environment: Path):
    pytest_command = [str(environment / "bin/python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = run([*pytest_command, "-c", os.devnull, "--rootdir", str(EXAMPLE)], EXAMPLE, PYTHONPATH=str(EXAMPLE))
    assert "5 passed" in done


def test_it_works_beside_folders_of_the_same_names(environment: Path, tmp_path: Path):
    (tmp_path / "components").mkdir()
    (tmp_path / "components/own.py").write_text('NAME = "team-a"\n')
    (tmp_path / "policy.py").write_text("LIMIT = 3\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    assert run([str(environment / "bin/python"), "program.py"], tmp_path).split() == ["3"]


@pytest.mark.parametrize("command", [["bin/modelservices"], ["bin/python", "-m", "modelservices"]], ids=lambda c: c[-1])
def test_the_command_line_is_installed(environment: Path, tmp_path: Path, command: list[str]):
    manifest = REPOSITORY / "examples/rendered/chat-cpu/input.yaml"
    rendered = run([str(environment / command[0]), *command[1:], "render", str(manifest)], tmp_path)
    assert rendered == (manifest.parent / "rendered.yaml").read_text()


def test_scripts_schemas_and_the_policy_pack_are_installed(environment: Path):
    package = next(environment.glob("lib/python*/site-packages/modelservices"))
    assert (package / "py.typed").exists()
    assert list(package.rglob("scripts/*.sh"))
    assert sorted(file.name for file in (package / "schemas").iterdir()) == ["manifest.json", "stack.json"]
    assert os.access(package / "policy/run", os.X_OK)


def test_a_new_project_is_made_of_the_installed_package(environment: Path, tmp_path: Path):
    command = str(environment / "bin/modelservices")
    run([command, "init", "models"], tmp_path)
    assert (tmp_path / "models/requirements.txt").read_text() == "modelservices==0.1.0\n"
    assert "kind: Deployment" in run([command, "render", "--stack", "dev"], tmp_path / "models")
