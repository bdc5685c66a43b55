"""The examples are what they say: a platform team's repository works with the package installed, and its tests pass.

Not proved here: an installation from a Git address, which only differs in where the files come from.
"""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "platform-repo"


def test_a_platform_teams_repository(tmp_path: Path):
    installed = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Its dependencies are those of this environment; the sources are copied, as a build writes beside them.
    sources = tmp_path / "sources"
    _run(["git", "clone", "--quiet", str(REPOSITORY), str(sources)], tmp_path, {})
    _run([*pip, "--no-deps", "--no-build-isolation", "--target", str(installed), str(sources)], tmp_path, {})
    assert (installed / "components" / "py.typed").exists()
    assert list((installed / "components").rglob("scripts/*.sh"))

    environment = {"PYTHONPATH": f"{installed}{os.pathsep}{EXAMPLE}"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), "tests"]
    done = _run([*command, "-c", os.devnull], EXAMPLE, environment)
    assert "4 passed" in done

    where = [sys.executable, "-c", "import components; print(components.__file__)"]
    assert _run(where, tmp_path, environment).startswith(str(installed))


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
