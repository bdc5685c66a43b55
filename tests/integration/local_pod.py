"""Runs a rendered pod on this machine: its volumes are folders, its init scripts and server real processes."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 120.0
"""For a loaded machine; the tests' models load in a moment."""


@dataclass(frozen=True)
class Answer:
    """A server's response; the status is 0 if there was none."""

    status: int
    text: str = ""


@dataclass
class LocalPod:
    """A pod of a rendered workload. Paths below its mounts are mapped to folders, one for each volume.

    ``secrets`` has the values of the Secrets in its environment, by name and key. ``entrypoint`` is the command that
    the server's image starts by default.
    """

    spec: Mapping[str, Any]
    folder: Path
    entrypoint: Sequence[str]
    secrets: Mapping[tuple[str, str], str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def container(self) -> Mapping[str, Any]:
        """The server's container."""
        return self.spec["containers"][0]

    def initialize(self) -> None:
        """Runs the init containers one after the other. Raises AssertionError with the output of one that fails."""
        for container in self.spec.get("initContainers", []):
            command = self._words(container, [*container["command"], *container.get("args", [])])
            done = subprocess.run(
                command, env=self._environment(container), capture_output=True, text=True, timeout=PATIENCE_SECONDS
            )
            assert done.returncode == 0, f"{container['name']}: {done.returncode}\n{done.stderr}"

    def start(self) -> None:
        """Starts the server without waiting for it."""
        container = self.container
        command = self._words(container, [*(container.get("command") or self.entrypoint), *container.get("args", [])])
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=self._environment(container), stdout=log, stderr=log)

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def stop(self) -> int:
        """Stops the server as the kubelet does, within the pod's grace period; returns its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=self.spec.get("terminationGracePeriodSeconds", 30))

    def kill(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            self.process.wait()

    def probe(self, kind: str, host: str = "127.0.0.1") -> Answer:
        """The response that the kubelet would get from a probe."""
        check = self.container[kind]["httpGet"]
        return get(f"{check.get('scheme', 'HTTP').lower()}://{host}:{self._port(check['port'])}{check['path']}")

    def _port(self, port: int | str) -> int:
        named = {entry.get("name"): entry["containerPort"] for entry in self.container.get("ports", [])}
        return named[port] if isinstance(port, str) else port

    def local(self, path: str) -> Path:
        """The local path for a path in the server's container."""
        return Path(self._placed(self.container, path))

    def _words(self, container: Mapping[str, Any], words: Sequence[str]) -> list[str]:
        return [self._placed(container, word) for word in words]

    def _placed(self, container: Mapping[str, Any], text: str) -> str:
        """The text with mount paths replaced by the volumes' folders."""
        for mount in container.get("volumeMounts", []):
            folder = self.folder / "volumes" / mount["name"]
            folder.mkdir(parents=True, exist_ok=True)
            text = re.sub(rf"(?<![\w./-]){re.escape(mount['mountPath'])}(?![\w.-])", str(folder), text)
        return text

    def _environment(self, container: Mapping[str, Any]) -> dict[str, str]:
        given = {entry["name"]: self._value(entry) for entry in container.get("env", [])}
        placed = {name: self._placed(container, value) for name, value in given.items()}
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), **placed}

    def _value(self, entry: Mapping[str, Any]) -> str:
        if "valueFrom" not in entry:
            return entry.get("value", "")
        reference = entry["valueFrom"]["secretKeyRef"]
        return self.secrets[reference["name"], reference["key"]]


def get(url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """Sends one request, a POST if it has a body."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data=body, headers=dict(headers or {})), timeout=PATIENCE_SECONDS
        ) as answer:
            return Answer(answer.status, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.read().decode())
    except OSError:
        return Answer(0)
