"""The release script: a matching wheel and sdist, installed with their dependencies in fresh environments.

Not proven here: the oldest pulumi-kubernetes, and the use on an engine; test_newcomer.py has both.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.stacks import REPOSITORY
from tests.integration.test_newcomer import RELEASES

PYTHONS = ("3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    release("build", "--output", str(folder))
    return folder


def release(*arguments: str) -> str:
    command = [sys.executable, "-m", "tools.release", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_newest_pulumi_kubernetes(dist: Path):
    newest = RELEASES[-1]
    said = release("check", "--output", str(dist), "--kubernetes", newest)
    assert f"pulumi-kubernetes {newest}" in said


@pytest.mark.parametrize("version", PYTHONS)
def test_other_versions_of_python(dist: Path, version: str):
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"python{version} is not on PATH")
    assert f"works with Python {version}." in release("check", "--output", str(dist), "--python", python)
