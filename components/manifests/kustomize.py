"""Folders with a kustomization: built by Kustomize, as `kubectl apply -k` would, and read as what it prints."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ..findings import Finding

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""How Kustomize's own file in a folder may be called."""
_PROGRAMS = {"kustomize": ("build",), "kubectl": ("kustomize",)}
"""What builds, and how; the first one that is on PATH does."""
_SECONDS = 120


def is_kustomization(folder: Path) -> bool:
    return any((folder / name).is_file() for name in NAMES)


def nested(folder: Path) -> list[Path]:
    """The folders below one that have a kustomization."""
    return sorted({file.parent for name in NAMES for file in folder.rglob(name)})


def build(folder: Path) -> str | Finding:
    """The objects as one YAML text, or why there are none."""
    program = next((name for name in _PROGRAMS if shutil.which(name)), None)
    if program is None:
        message = (
            "is a kustomization: put kustomize (or kubectl) on PATH, or name a file with what `kustomize build` prints"
        )
        return Finding(str(folder), "", "", message, code="kustomize-missing")
    try:
        command = [program, *_PROGRAMS[program], str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return Finding(str(folder), "", "", f"can't be built by {program}: {error}", code="kustomize")
    if done.returncode:
        message = f"can't be built by {program}: {done.stderr.strip().removeprefix('Error: ')}"
        return Finding(str(folder), "", "", message, code="kustomize")
    return done.stdout


def not_named(folder: Path, found: Iterable[Path]) -> Finding:
    """For a folder that is no kustomization but has some: which of them is meant can't be guessed."""
    names = ", ".join(str(each) for each in found)
    message = f"has kustomizations in it ({names}): name the one to build under modelservices:manifests"
    return Finding(str(folder), "", "", message, code="kustomize-several")
