"""Builds folders with a kustomization, as `kubectl apply -k` would. Kustomize's output is read as manifests."""

import os
import re
from pathlib import Path
from typing import IO

from ..findings import Finding
from .files import too_large

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PROGRAMS = {"kustomize": "build", "kubectl": "kustomize"}
"""Programs that build, with their subcommands. The first one on PATH is used."""
_RESTRICTED = ("--load-restrictor", "LoadRestrictionsRootOnly")
"""Generators and patches may not read files outside the folder of their kustomization."""
_FOR_FETCHING = frozenset(
    [
        *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"),
    ]
)
"""Variables that may be needed to reach an address."""
_SECONDS = 120
_LOGGED = r'(?m)^E[0-9]{4} [0-9:.]+ +[0-9]+ [a-z_]+\.go:[0-9]+\] "command failed" err='
"""Start of kubectl's error messages. It has the time, which would make a finding differ in each run."""


def is_kustomization(folder: Path) -> bool:
    return any((folder / name).is_file() for name in NAMES)


def build(folder: Path, limit: int, *, stage: Path | None = None, fetches: bool = True) -> str | list[Finding]:
    """The objects as one YAML text, or findings that say why there are none.

    ``stage`` is a folder with a copy of what may be read. The program gets neither the variables nor the home of the
    pipeline that runs it, so it can't fetch a base from an address that requires credentials.
    """
    # Imported when first needed: most stacks have no kustomization and start no other program.
    import shutil
    import tempfile

    program = next((name for name in _PROGRAMS if shutil.which(name)), None)
    if program is None:
        message = (
            "is a kustomization, but neither kustomize nor kubectl is on PATH; install one, or list a file with the "
            "output of `kustomize build`"
        )
        return [Finding(str(folder), "", "", message, code="kustomize-missing")]
    built = stage / folder.resolve().relative_to(folder.resolve().anchor) if stage else folder
    command = [shutil.which(program) or program, _PROGRAMS[program], str(built), *_RESTRICTED]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as complaints:
        try:
            code, output = _run(command, _environment(home, fetches=fetches), complaints, limit)
        except (OSError, ValueError) as error:
            return [Finding(str(folder), "", "", f"can't be built by {program}: {error}", code="kustomize")]
        complaints.seek(0)
        said = complaints.read(1 << 16).decode(errors="replace").strip()
    if code and len(output) <= limit:
        said = re.sub(_LOGGED, "", said).removeprefix("Error: ").replace(str(stage), "") or f"it ended with {code}"
        return [Finding(str(folder), "", "", f"can't be built by {program}: {said}", code="kustomize")]
    return [too_large(folder, limit)] if len(output) > limit else output.decode(errors="replace")


def _environment(home: str, *, fetches: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name == "PATH" or (fetches and name in _FOR_FETCHING)}
    return {**kept, "HOME": home, "GIT_TERMINAL_PROMPT": "0"}


def _run(command: list[str], environment: dict[str, str], complaints: IO[bytes], limit: int) -> tuple[int, bytes]:
    """The exit code and the output, which is read to at most one byte over the limit."""
    import subprocess
    import threading

    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, env=environment
    ) as process:
        assert process.stdout is not None
        watch = threading.Timer(_SECONDS, process.kill)
        watch.start()
        try:
            output = process.stdout.read(limit + 1)
        finally:
            watch.cancel()
        if len(output) > limit:
            process.kill()
        return process.wait(), output
