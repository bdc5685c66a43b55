"""The Go command: checks that it is present and new enough, and runs it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

_TAIL = 30


class ToolchainError(Exception):
    """A sentence about what is wrong and what to do about it."""


def numbers(version: str) -> tuple[int, ...]:
    """The version's numbers for comparisons: `go1.26.8` and `v1.26.8` are (1, 26, 8)."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def needed_version(module: Path) -> str:
    """The Go version that a module requires in its go.mod."""
    found = re.search(r"^go (\S+)$", (module / "go.mod").read_text(), re.MULTILINE)
    if not found:
        raise ToolchainError(f"{module / 'go.mod'} has no go line")
    return found.group(1)


def check(module: Path, purpose: str) -> None:
    """Raises ToolchainError for a missing or outdated Go, before a long build fails halfway."""
    needed = needed_version(module)
    advice = f"install Go {needed} or newer, or put {purpose} on PATH"
    if not shutil.which("go"):
        raise ToolchainError(f"Go is needed to build {purpose}, but there is no `go` on PATH: {advice}.")
    found = run(["env", "GOVERSION"], module).strip()
    if numbers(found) < numbers(needed):
        raise ToolchainError(f"Go {needed} is needed to build {purpose}, but `go` is {found}: {advice}.")


def run(arguments: list[str], folder: Path, *, in_c: bool = False) -> str:
    """The output of a Go command, independent of the user's own Go settings.

    ``in_c``: parts written in C are compiled as well.
    """
    environment = os.environ | {
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "GOWORK": "off",
        "CGO_ENABLED": "1" if in_c else "0",
    }
    done = subprocess.run(["go", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n".join((done.stderr + done.stdout).splitlines()[-_TAIL:])
        raise ToolchainError(f"`go {arguments[0]}` failed in {folder}:\n{tail}")
    return done.stdout


def module_folder(module: str, folder: Path, checksum: str = "") -> Path:
    """The folder of a module's files, downloaded if necessary. The version is in `module`, or otherwise in the folder's
    go.mod."""
    details = json.loads(run(["mod", "download", "-json", module], folder))
    if checksum and details["Sum"] != checksum:
        raise ToolchainError(f"{module} has the checksum {details['Sum']}, but {checksum} is pinned.")
    return Path(details["Dir"])
