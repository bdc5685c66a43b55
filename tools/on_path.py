"""Tools that the user has installed; they take precedence over built ones."""

import os
import shutil
import subprocess
from pathlib import Path

from tools import cache
from tools.go_command import numbers
from tools.versions import TOOLS, Tool


def find(tool: Tool) -> Path | None:
    """The tool on PATH, if its whole suite is present and new enough."""
    if tool.suite and suite_is_there(tool.suite):
        return _executable(tool.name)
    if tool.comes_with and suite_is_there(tool.comes_with):
        return _executable(tool.name)
    return None


def is_left_to_suite(tool: Tool) -> bool:
    """Whether an installed suite provides this tool (an installed engine fetches its own plugins)."""
    return bool(tool.comes_with) and suite_is_there(tool.comes_with)


def suite_is_there(suite: str) -> bool:
    """Whether PATH has all tools of a suite; parts of different origins might not fit together."""
    return all(_is_usable(tool) for tool in TOOLS if tool.suite == suite)


def _is_usable(tool: Tool) -> bool:
    path = _executable(tool.name)
    return path is not None and (not tool.minimum or _version(path) >= numbers(tool.minimum))


def _executable(name: str) -> Path | None:
    """The tool on PATH, but not from our own cache, which is on PATH in a shell that has evaluated `toolchain env`."""
    ours = str(cache.folder())
    folders = [entry for entry in os.environ.get("PATH", "").split(os.pathsep) if not entry.startswith(ours)]
    found = shutil.which(name, path=os.pathsep.join(folders))
    return Path(found) if found else None


def _version(executable: Path) -> tuple[int, ...]:
    done = subprocess.run([executable, "--version"], capture_output=True, text=True, check=False, timeout=30)
    return numbers(done.stdout or done.stderr)
