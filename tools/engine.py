"""Assembles the built engine: its programs in one bin folder, its provider as a plugin in a separate Pulumi home.

The language hosts must be beside `pulumi` and the provider must be a plugin; if found elsewhere on PATH, each causes a
warning in every run.
"""

import os
import subprocess
from pathlib import Path

from tools import cache, go_build
from tools.go_command import ToolchainError
from tools.versions import ENGINE, KUBERNETES_PROVIDER, TOOLS

_PROVIDER = "pulumi-resource-kubernetes"


def folder() -> Path:
    """A folder for each combination of versions, so that clones of different ages don't disturb each other."""
    keys = [go_build.key(tool) for tool in TOOLS if tool.name in ENGINE]
    return cache.folder() / f"engine-{cache.key(*keys)}"


def add(name: str, built: Path) -> Path:
    """Adds a built tool to the engine and returns its new path."""
    if name == _PROVIDER:
        return _install_provider(built / name)
    for file in built.iterdir():
        _link(file, folder() / "bin" / file.name)
    return folder() / "bin" / name


def variables() -> dict[str, str]:
    """Environment variables that make the built engine run, instead of any other."""
    inherited = os.environ.get("PATH", "").split(os.pathsep)
    ours = str(folder() / "bin")
    return {
        "PATH": os.pathsep.join([ours, *(entry for entry in inherited if entry != ours)]),
        "PULUMI_HOME": str(folder() / "home"),
    }


def _link(origin: Path, target: Path) -> None:
    """Makes a hard link: the engine looks for language hosts beside its real file, so a symbolic link would not
    work."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with cache.lock(f"{folder().name}-bin"):
        target.unlink(missing_ok=True)
        os.link(origin, target)


def _install_provider(binary: Path) -> Path:
    installed = folder() / "home" / "plugins" / f"resource-kubernetes-v{KUBERNETES_PROVIDER}" / binary.name
    with cache.lock(f"{folder().name}-plugins"):
        if not installed.exists():
            command = ["pulumi", "plugin", "install", "resource", "kubernetes", KUBERNETES_PROVIDER]
            environment = os.environ | variables() | {"PULUMI_SKIP_UPDATE_CHECK": "true"}
            done = subprocess.run(
                [*command, "--file", str(binary), "--reinstall"],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode or not installed.exists():
                raise ToolchainError(f"the Kubernetes provider could not be installed: {done.stderr or done.stdout}")
    return installed
