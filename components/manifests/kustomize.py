"""Folders with a kustomization: built by Kustomize, as `kubectl apply -k` would, and read as what it prints."""

import re
from pathlib import Path

from ..findings import Finding

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""How Kustomize's own file in a folder may be called."""
_PROGRAMS = {"kustomize": ("build",), "kubectl": ("kustomize",)}
"""What builds, and how; the first one that is on PATH does."""
_SECONDS = 120
_LOGGED = r'(?m)^E[0-9]{4} [0-9:.]+ +[0-9]+ [a-z_]+\.go:[0-9]+\] "command failed" err='
"""How kubectl begins a complaint: with the time, which would make the same finding another one in each run."""


def is_kustomization(folder: Path) -> bool:
    return any((folder / name).is_file() for name in NAMES)


def build(folder: Path) -> str | Finding:
    """The objects as one YAML text, or why there are none."""
    # Imported when first needed: most stacks have no kustomization, and no other program to start.
    import shutil
    import subprocess

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
        message = f"can't be built by {program}: {re.sub(_LOGGED, '', done.stderr.strip()).removeprefix('Error: ')}"
        return Finding(str(folder), "", "", message, code="kustomize")
    return done.stdout
