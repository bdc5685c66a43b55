"""Runs the stack of `modelservices init` with a tiny model on a real node.

    python -m tools.real_stack up|preview|down|status

`make up NODE=real` calls it: on a local control plane with a real node, the pod downloads the model from the node and
serves it. `up` ends with the status table and the answer to a question; `down` also removes the node. Everything is
below `.run/`. Runs in the virtual environment, as root.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from modelservices.commands.init import example
from tools.cluster.api import ApiError
from tools.cluster.processes import ProcessError
from tools.cluster.waiting import wait_for
from tools.control_plane import ControlPlane
from tools.go_command import ToolchainError
from tools.node import needs
from tools.node.layout import ADDRESS, FILES_PORT, Layout
from tools.program import RUN, engine, local_backend, say
from tools.tiny_model import write_tiny_model

STACK = "dev"
PLANE = RUN / "real"
MODEL = "tiny.gguf"
_PULUMI = {
    "up": ["up", "--yes", "--suppress-outputs"],
    "preview": ["preview", "--diff", "--suppress-outputs"],
    "down": ["destroy", "--yes", "--skip-preview"],
}
_THEN = {"up": ("status", "smoke"), "status": ("status",)}
"""The `modelservices` commands that follow a command."""


def main() -> int:
    """Runs the command line; returns the command's exit code, or 1 with the reason on stderr if it can't run."""
    parser = argparse.ArgumentParser(prog="python -m tools.real_stack", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=[*_PULUMI, "status"])
    command = parser.parse_args().command
    try:
        reason = needs.missing()
        if reason:
            raise ToolchainError(f"{reason}.")
        return _run(command)
    except (ToolchainError, ProcessError, ApiError) as error:
        print(error, file=sys.stderr)
        return 1


def _run(command: str) -> int:
    plane = ControlPlane.start(PLANE, crds=(), real_node=True, progress=say)
    write_tiny_model(Layout(plane.run_dir).files / MODEL)
    folder = project(RUN / "quickstart")
    environment = {**engine(plane.kubeconfig), **local_backend()}
    code = 0
    if command in _PULUMI:
        _pulumi(["stack", "select", "--create", STACK], folder, environment, subprocess.DEVNULL)
        code = _pulumi([*_PULUMI[command], "--stack", STACK], folder, environment)
    if command == "up" and code == 0:
        # An update does not wait for what was ready before, such as pods whose node was killed.
        wait_for("the pods", lambda: _not_ready(plane), say)
    for name in _THEN.get(command, ()) if code == 0 else ():
        words = [sys.executable, "-m", "modelservices", name, "--stack", STACK]
        code = code or subprocess.run(words, cwd=folder, env=environment, check=False).returncode
    if command == "down" and code == 0:
        plane.stop()
        say(f"the control plane in {plane.run_dir} is stopped, and its node is gone")
    return code


def _not_ready(plane: ControlPlane) -> str:
    """The pods that run and are not ready."""
    running = "status.phase!=Succeeded,status.phase!=Failed"
    pods = plane.api().get(f"/api/v1/pods?fieldSelector={running}")["items"]
    return ", ".join(pod["metadata"]["name"] for pod in pods if not _is_ready(pod["status"].get("conditions", [])))


def _is_ready(conditions: list[dict[str, str]]) -> bool:
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def project(folder: Path) -> Path:
    """A copy of the example, with a model that the node serves."""
    here = f"source: http://{ADDRESS}:{FILES_PORT}/{MODEL}"
    for file in filter(Path.is_file, example().rglob("*")):
        target = folder / file.relative_to(example())
        target.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text()
        known = target.read_text() if target.exists() else ""
        salt = re.search(r"^encryptionsalt: .*\n", known, re.MULTILINE)  # the engine verifies the passphrase with it
        target.write_text(re.sub(r"source: http\S+", here, text) + (salt[0] if salt else ""))
    return folder


def _pulumi(arguments: list[str], folder: Path, environment: dict[str, str], output: int | None = None) -> int:
    return subprocess.run(["pulumi", *arguments], cwd=folder, env=environment, stdout=output, check=False).returncode


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
