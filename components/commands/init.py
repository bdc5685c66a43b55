"""``init``: a project to start with, one chat model on CPU."""

import argparse
import json
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ..findings import Finding, InvalidManifests

_PACKAGE = Path(__file__).parents[1]
_NEXT = """{folder} has a Pulumi project with one chat model on CPU. With pulumi on PATH and a cluster:

  cd {folder}
  pulumi stack init dev
  pulumi up

README.md there says how to ask the model, and how to remove everything again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="a folder that is new or empty")


def run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder)
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty; choose another folder")
        shutil.copytree(example(), folder, dirs_exist_ok=True)
        (folder / "requirements.txt").write_text(f"{_requirement()}\n")
    except OSError as error:
        raise InvalidManifests([Finding(str(folder), "", "", str(error), code="unwritable")]) from None
    print(_NEXT.format(folder=folder))
    return 0


def example() -> Path:
    """The project that is copied: in the installed package, or else in a checkout."""
    installed = _PACKAGE / "examples" / "quickstart"
    return installed if installed.is_dir() else _PACKAGE.parent / "examples" / "quickstart"


def _requirement() -> str:
    """This package as pip names it: by Git address and commit if it was installed from there, or else by version."""
    try:
        installed = distribution("modelservices")
    except PackageNotFoundError:  # a checkout
        print("modelservices is not installed, so requirements.txt names no version of it", file=sys.stderr)
        return "modelservices"
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if "vcs_info" in origin:
        git = origin["vcs_info"]
        return f"modelservices @ {git['vcs']}+{origin['url']}@{git['commit_id']}"
    return f"modelservices=={installed.version}"
