"""The Go command: whether it is there and new enough, and how it is called."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

_TAIL = 30


class ToolchainError(Exception):
    """Says in a sentence what is wrong and what to do about it."""


def numbers(version: str) -> tuple[int, ...]:
    """A version's numbers for comparing: `go1.26.8` and `v1.26.8` are (1, 26, 8)."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def needed_version(module: Path) -> str:
    """The Go version that a module asks for in its go.mod."""
    found = re.search(r"^go (\S+)$", (module / "go.mod").read_text(), re.MULTILINE)
    if not found:
        raise ToolchainError(f"{module / 'go.mod'} has no go line")
    return found.group(1)


def check(module: Path, purpose: str) -> None:
    """Refuses a missing or too old Go before a long build does so in the middle."""
    needed = needed_version(module)
    advice = f"install Go {needed} or newer, or put {purpose} on PATH"
    if not shutil.which("go"):
        raise ToolchainError(f"Go is needed to build {purpose}, but there is no `go` on PATH: {advice}.")
    found = run(["env", "GOVERSION"], module).strip()
    if numbers(found) < numbers(needed):
        raise ToolchainError(f"Go {needed} is needed to build {purpose}, but `go` is {found}: {advice}.")


def run(arguments: list[str], folder: Path, *, in_c: bool = False) -> str:
    """The output of a Go command, run so that a user's own Go settings can't change the result.

    ``in_c``: parts that are written in C are compiled too.
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
    """Where a module's files are, downloaded if need be; `module` names a version, else the go.mod in folder does."""
    details = json.loads(run(["mod", "download", "-json", module], folder))
    if checksum and details["Sum"] != checksum:
        raise ToolchainError(f"{module} has the checksum {details['Sum']}, but {checksum} is pinned.")
    return Path(details["Dir"])
