"""Builds a release and tests it as users would install it.

    python -m tools.release build [--output dist]            wheel and sdist, and the release notes of this version
    python -m tools.release check [--python PYTHON]… [--kubernetes VERSION]
                                                             install the wheel in a fresh environment and try it

``check`` takes the wheel from ``dist``. The default for ``--python`` is this interpreter, for ``--kubernetes`` the
newest allowed release of pulumi-kubernetes. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
CHANGES = "What your next preview will show:"
_BUILD = "import sys; to = sys.argv[1]; from setuptools import build_meta as b; b.build_sdist(to); b.build_wheel(to)"


class ReleaseError(Exception):
    """A sentence about why the release can't be made."""


def version() -> str:
    """The version of the package, as SemVer."""
    found = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
    if not re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?", found):
        raise ReleaseError(f"pyproject.toml: version {found} is not SemVer")
    return found


def notes(changelog: str, release: str) -> str:
    """The release notes: the changelog's section of the release, or otherwise its Unreleased section."""
    sections = dict(re.findall(r"^## (\S+).*?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    text = sections.get(release, sections.get("Unreleased", "")).strip()
    if not text:
        raise ReleaseError(f"CHANGELOG.md: there is no section {release}, and nothing under Unreleased")
    if CHANGES not in text:
        raise ReleaseError(f"CHANGELOG.md: the section of {release} does not say “{CHANGES}”")
    return f"# modelservices {release}\n\n{text}\n"


def build(output: Path) -> None:
    """Writes wheel, sdist and notes into a folder, from the committed files."""
    output.mkdir(parents=True, exist_ok=True)
    (output / f"notes-{version()}.md").write_text(notes((REPOSITORY / "CHANGELOG.md").read_text(), version()))
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        _run(["git", "clone", "--quiet", str(REPOSITORY), str(sources)])
        _run([sys.executable, "-c", _BUILD, str(output.absolute())], sources)
        again = Path(folder) / "again"
        shutil.unpack_archive(_only(output, ".tar.gz"), again)
        (unpacked,) = again.iterdir()
        _run([sys.executable, "-c", _BUILD, str(again)], unpacked)
        _same_files(_only(output, ".whl"), _only(again, ".whl"))


def _same_files(wheel: Path, from_sdist: Path) -> None:
    """Checks that a wheel built from the sdist has the same files."""
    one, two = (set(zipfile.ZipFile(path).namelist()) for path in (wheel, from_sdist))
    if one != two:
        raise ReleaseError(f"wheel and sdist differ: {', '.join(sorted(one ^ two)[:10])}")


def check(wheel: Path, python: str, kubernetes: str | None) -> None:
    """Install the wheel with its dependencies in a fresh environment, and use it like a newcomer."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        _run([python, "-m", "venv", "--without-pip", str(folder / "venv")])
        own = folder / "venv/bin"
        wanted = [f"pulumi-kubernetes=={kubernetes}"] if kubernetes else []
        pip = [sys.executable, "-m", "pip", "--python", str(own / "python"), "--disable-pip-version-check"]
        # Little of what is installed is imported, and the import compiles it.
        pip += ["install", "--quiet", "--no-compile"]
        _run([*pip, f"modelservices[policy] @ {wheel.absolute().as_uri()}", "pytest", *wanted])
        _run([str(own / "modelservices"), "init", "models"], folder)
        _run([str(own / "modelservices"), "validate", "--stack", "dev"], folder / "models")
        _run([str(own / "python"), "-c", "import modelservices.policy"], folder)
        shutil.copytree(REPOSITORY / "examples/platform-repo", folder / "team")
        _run([str(own / "pytest"), "-q"], folder / "team")
        found = _run([str(own / "python"), "-c", _VERSIONS], folder).strip()
    print(f"{wheel.name} works with {found}")


_VERSIONS = (
    "import platform; from importlib.metadata import version as v; "
    "print(f\"Python {platform.python_version()}, pulumi {v('pulumi')}, pulumi-kubernetes {v('pulumi_kubernetes')}\")"
)


def _only(folder: Path, ending: str) -> Path:
    found = [path for path in folder.iterdir() if path.name.endswith(ending)]
    if len(found) != 1:
        raise ReleaseError(f"{folder}: there must be one file *{ending}, there are {len(found)}")
    return found[0]


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> int:
    """The command line: 0, or 1 with the reason on stderr."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="wheel, sdist and release notes")
    making.add_argument("--output", type=Path, default=REPOSITORY / "dist")
    checking = commands.add_parser("check", help="try the wheel in a fresh environment")
    checking.add_argument("--output", type=Path, default=REPOSITORY / "dist")
    checking.add_argument("--python", action="append", help="an interpreter; several may be given")
    checking.add_argument("--kubernetes", help="version of pulumi-kubernetes")
    arguments = parser.parse_args()
    try:
        if arguments.command == "build":
            build(arguments.output)
        else:
            for python in arguments.python or [sys.executable]:
                check(_only(arguments.output, ".whl"), python, arguments.kubernetes)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
