"""A virtual environment with the wheel of the committed files, on top of this environment's packages."""

import os
import site
import subprocess
import sys
import venv
from pathlib import Path

from tests.integration.stacks import REPOSITORY


def environment_with_wheel(folder: Path) -> tuple[Path, Path]:
    """The environment and the wheel, both created in an existing folder."""
    # Builds from a clone, as a build writes into the sources.
    run(["git", "clone", "--quiet", str(REPOSITORY), "sources"], folder)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", "."]
    run([*build, "./sources"], folder)
    venv.create(folder / "venv", with_pip=False)
    packages = next((folder / "venv").glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    wheel = next(folder.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "venv"), "install", "--quiet", "--no-deps"]
    run([*pip, "--disable-pip-version-check", str(wheel)], folder)
    script = folder / "venv/bin/pip"
    script.write_text(f'#!/bin/sh\nexec {folder}/venv/bin/python -m pip "$@"\n')
    script.chmod(0o755)
    return folder / "venv", wheel


def run(command: list[str], folder: Path, **variables: str) -> str:
    """The output of a command, which must succeed."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=own | variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
