"""Python processes that start with the package and its libraries imported, as forks of a process that imported them.

The imports take most of the time of a program run or a command. Nothing else is shared: each process has its own
environment, folder and output, like a newly started one.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, "tests.integration.imported"])


def start(script: Sequence[str], environment: Mapping[str, str]) -> ForkServerProcess:
    """Starts a script with its arguments, like `python SCRIPT …`."""
    process = _FORKS.Process(target=_run_script, args=(list(script), dict(environment)), daemon=True)
    process.start()
    return process


def run_module(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Runs a module with its arguments in a folder, like `python -m MODULE …`, and waits for it."""
    with tempfile.TemporaryDirectory(prefix="output-") as scratch:
        output = Path(scratch)
        arguments = (list(command), folder, dict(environment), output)
        process = _FORKS.Process(target=_run_module, args=arguments, daemon=True)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(command), timeout)
        out, err = (output / "out").read_text(), (output / "err").read_text()
        return subprocess.CompletedProcess(list(command), process.exitcode, out, err)


def _run_script(script: list[str], environment: dict[str, str]) -> None:
    _prepare(script, environment)
    runpy.run_path(script[0], run_name="__main__")


def _run_module(command: list[str], folder: Path, environment: dict[str, str], output: Path) -> None:
    _prepare(command, environment)
    os.chdir(folder)
    for name, descriptor in (("out", 1), ("err", 2)):
        with (output / name).open("w") as file:
            os.dup2(file.fileno(), descriptor)
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


def _prepare(command: list[str], environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    # The module reads KUBECONFIG at import.
    importlib.reload(importlib.import_module("kubernetes.config.kube_config"))
