"""A fast language host for Python programs that replaces the engine's own.

The engine's host lists all installed packages, then starts a Python that imports the program and its libraries: more
than half of the time of a small update. Here each run of the program is also a separate process in which the engine's
own executor runs it, but the process starts with the imports done (forks.py). The engine accepts such a host from any
program of its Automation API. test_engine.py, CI's pipelines, `make up` and a newcomer's project use the engine's host.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from pulumi.runtime.proto import LanguageRuntimeServicer, language_pb2, language_pb2_grpc, plugin_pb2

from tests.integration import forks

_HAS_SAID_WHY = 32
"""The executor's exit code if it has already told the user what is wrong."""


@contextmanager
def language_host(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The flag that makes a command of the engine use such a host; programs run with these variables."""
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(_LanguageHost(environment), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield "--client", f"127.0.0.1:{port}"
    server.stop(grace=None)


class _LanguageHost(LanguageRuntimeServicer):
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def About(self, request: Any, context: Any) -> Any:
        return language_pb2.AboutResponse(executable=sys.executable, version=sys.version)

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo()

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        return language_pb2.GetRequiredPackagesResponse()

    def Run(self, request: Any, context: Any) -> Any:
        """Runs the program once, as the engine's own host does."""
        config = {
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
        }
        program = forks.start(_executor(request, self._environment["PATH"]), {**self._environment, **config})
        program.join()
        if program.exitcode in (0, _HAS_SAID_WHY):
            return language_pb2.RunResponse(bail=program.exitcode != 0)
        return language_pb2.RunResponse(error=f"Program exited with non-zero exit code: {program.exitcode}")


def _executor(request: Any, path: str) -> list[str]:
    host = shutil.which("pulumi-language-python", path=path) or ""
    folder = request.info.program_directory
    options = {
        "project": request.project,
        "stack": request.stack,
        "organization": request.organization,
        "parallel": request.parallel,
        "dry_run": str(request.dryRun).lower(),
        "monitor": request.monitor_address,
        "engine": request.args[0],  # the engine passes its address this way to a host that it hasn't started itself
        "pwd": folder,
    }
    return [f"{host}-exec", *(f"--{name}={value}" for name, value in options.items()), folder]
