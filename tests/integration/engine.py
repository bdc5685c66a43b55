"""Runs the real `pulumi` command line in a project folder and reports what the engine did."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import yaml

from tests.integration import key_server
from tests.integration.language_host import language_host
from tools import toolchain

PASSPHRASE = "not a secret: stacks of tests live for a test"
_SALT = "v1:ne87SYRhWX8=:v1:XERfBfSNB8KoIoqT:pv0etzZAV5rpB7PZ7mLCXqyJwp6Smg=="
"""The salt that `pulumi stack init` would write into a stack's file for this passphrase."""
PATIENCE_SECONDS = 480
"""Timeout of a command: far more than any command needs, less than the provider waits for missing objects."""
_NOT_INHERITED = ("PULUMI_", "KUBE", "PYTHONDONTWRITEBYTECODE")
"""The user's stacks and clusters, and a variable that would make each of several hundred starts compile the program."""
_PLAIN = ("--non-interactive", "--color", "never")


class Cluster(Protocol):
    """Anything with a kubeconfig: the shared `cluster` fixture, or a test's own ControlPlane."""

    @property
    def kubeconfig(self) -> Path: ...


@dataclass(frozen=True)
class Step:
    """What the engine did, or would do, to one resource."""

    op: str  # same, create, update, replace, delete, refresh, read …
    type: str
    name: str
    diff: tuple[str, ...]  # paths of the properties that differ
    replace: tuple[str, ...]  # the ones that force a replacement


@dataclass(frozen=True)
class Result:
    """The outcome of a command."""

    code: int
    stdout: str
    stderr: str
    events: tuple[dict[str, Any], ...]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps in the engine's order, including those that change nothing."""
        begun = (event["resourcePreEvent"] for event in self.events if "resourcePreEvent" in event)
        return tuple(_step(event["metadata"]) for event in begun)

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.op not in ("same", "read", "refresh"))

    @property
    def messages(self) -> tuple[str, ...]:
        """Diagnostics at warning level and above, as the user sees them."""
        found = (event["diagnosticEvent"] for event in self.events if "diagnosticEvent" in event)
        return tuple(item["message"].strip() for item in found if item["severity"] in ("warning", "error"))

    @property
    def text(self) -> str:
        """The command's whole output."""
        return f"{self.stdout}\n{self.stderr}"


class Project:
    """A stack of the project in `folder`, with a separate file backend unless two projects share one.

    The commands raise AssertionError with the whole output if their outcome is unexpected.
    """

    forked = False
    """Whether the program runs in a process that has already imported the package (language_host.py), and key_server.py
    provides the key of the stack's secrets."""

    def __init__(
        self,
        folder: Path,
        cluster: Cluster | None,
        stack: str = "test",
        *,
        backend: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.stack = stack
        self._scratch = tempfile.TemporaryDirectory(prefix="pulumi-test-")
        self.backend = backend or Path(self._scratch.name)
        self.environment = self._engine_environment(cluster) | dict(environment or {})
        self.create()

    def create(self) -> None:
        """Creates the stack's files if they don't exist, as `pulumi stack select --create` does, but without running
        it."""
        self._write_settings(**(key_server.SETTINGS if self.forked else {"encryptionsalt": _SALT}))
        if not self._checkpoint.exists():
            self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
            (self.backend / ".pulumi" / "meta.yaml").write_text("version: 1\n")
            empty = {"stack": f"organization/{self._project}/{self.stack}"}
            self._checkpoint.write_text(json.dumps({"version": 3, "checkpoint": empty}))

    def config(self, values: Mapping[str, Any]) -> None:
        """Sets stack configuration, including structured values; a key without a namespace is the project's."""
        self._write_settings(config={key if ":" in key else f"{self._project}:{key}": values[key] for key in values})

    def secret(self, key: str, value: str) -> None:
        """Sets an encrypted configuration value."""
        self._pulumi("config", "set", "--stack", self.stack, "--secret", key, value)

    def preview(self, *flags: str, fails: bool = False) -> Result:
        """`pulumi preview`."""
        return self._update("preview", *flags, fails=fails)

    def up(self, *flags: str, fails: bool = False) -> Result:
        """`pulumi up` without a preview before it."""
        return self._update("up", "--yes", "--skip-preview", *flags, fails=fails)

    def preview_and_up(self, *flags: str, fails: bool = False) -> Result:
        """`pulumi up` as people run it: if its preview fails, no update starts."""
        return self._update("up", "--yes", *flags, fails=fails)

    def refresh(self, *flags: str, fails: bool = False) -> Result:
        """`pulumi refresh`."""
        return self._update("refresh", "--yes", "--skip-preview", *flags, fails=fails)

    def destroy(self, *flags: str, fails: bool = False) -> Result:
        """`pulumi destroy`."""
        return self._update("destroy", "--yes", "--skip-preview", *flags, fails=fails)

    def start_up(self, *flags: str, checkpoints: bool = True) -> subprocess.Popen[bytes]:
        """Starts `pulumi up` in a separate session without waiting for it, for tests that kill it.

        With ``checkpoints`` the state is written at each step, as in users' runs.
        """
        left_out = {"PULUMI_SKIP_CHECKPOINTS"} if checkpoints else set()
        environment = {name: value for name, value in self.environment.items() if name not in left_out}
        command = ["pulumi", "up", "--yes", "--skip-preview", "--stack", self.stack, *flags, *_PLAIN]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=self.folder, env=environment, start_new_session=True, **quiet)

    def import_file(self, file: Path) -> None:
        """`pulumi import` of a file."""
        options = ("--yes", "--skip-preview", "--generate-code=false")
        self._pulumi("import", "--file", str(file), "--stack", self.stack, *options)

    def forget(self, urn: str) -> None:
        """`pulumi state delete` of a resource and its children, which stay in the cluster."""
        self._pulumi("state", "delete", urn, "--yes", "--target-dependents", "--stack", self.stack)

    def rename(self, name: str) -> None:
        """`pulumi stack rename`."""
        self._pulumi("stack", "rename", name, "--stack", self.stack)
        self.stack = name

    def rename_in_state(self, name: str, earlier: str) -> None:
        """Gives a resource the Pulumi name from an earlier release of the program."""
        text = self._checkpoint.read_text()
        assert f'::{name}"' in text
        self._checkpoint.write_text(text.replace(f'::{name}"', f'::{earlier}"'))

    def cancel(self) -> None:
        """`pulumi cancel`: removes the lock that a killed run has left."""
        self._pulumi("cancel", "--yes", "--stack", self.stack)

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs; `secret_outputs` has the secrets' values."""
        stacks = [resource for resource in self.state() if resource["type"] == "pulumi:pulumi:Stack"]
        return stacks[0].get("outputs", {}) if stacks else {}

    def secret_outputs(self) -> dict[str, Any]:
        """The stack's outputs with secrets in plain text."""
        return json.loads(self._pulumi("stack", "output", "--stack", self.stack, "--json", "--show-secrets").stdout)

    def state(self) -> list[dict[str, Any]]:
        """The resources of the stack's checkpoint."""
        return self._deployment().get("resources", [])

    def _deployment(self) -> dict[str, Any]:
        return json.loads(self._checkpoint.read_text())["checkpoint"].get("latest", {})

    @property
    def _project(self) -> str:
        return yaml.safe_load((self.folder / "Pulumi.yaml").read_text())["name"]

    @property
    def _checkpoint(self) -> Path:
        return self.backend / ".pulumi" / "stacks" / self._project / f"{self.stack}.json"

    def _write_settings(self, **changed: Any) -> None:
        """Changes the stack's settings file; mappings are merged."""
        file = self.folder / f"Pulumi.{self.stack}.yaml"
        settings = (yaml.safe_load(file.read_text()) if file.exists() else None) or {}
        for key, value in changed.items():
            settings[key] = (settings.get(key) or {}) | value if isinstance(value, dict) else value
        file.write_text(yaml.safe_dump(settings, sort_keys=False))

    def _update(self, command: str, *flags: str, fails: bool) -> Result:
        with tempfile.TemporaryDirectory(prefix="pulumi-events-") as scratch:
            log = Path(scratch) / "events.json"
            with language_host(self.environment) if self.forked else nullcontext(()) as host:
                done = self._run(command, "--stack", self.stack, "--event-log", str(log), *host, *flags)
            events = tuple(_events(log))
        result = Result(done.returncode, done.stdout, done.stderr, events)
        if (result.code != 0) != fails:
            expected = "to fail" if fails else "to succeed"
            raise AssertionError(f"pulumi {command} was expected {expected}, exit code {result.code}:\n{result.text}")
        return result

    def _pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self._run(*arguments)
        if done.returncode:
            raise AssertionError(f"pulumi {' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments, *_PLAIN],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def _engine_environment(self, cluster: Cluster | None) -> dict[str, str]:
        """The toolchain's engine, this virtual environment's Python, and nothing from the user's own stacks."""
        engine = toolchain.engine_environment()
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(_NOT_INHERITED)}
        python = str(Path(sys.prefix) / "bin")
        settings = {
            "PATH": os.pathsep.join([python, engine["PATH"]]),
            "KUBECONFIG": str(cluster.kubeconfig) if cluster else os.devnull,
            # Without `metadata=skip` each checkpoint has a second file, which a killed run may leave half written.
            "PULUMI_BACKEND_URL": f"file://{self.backend}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_DEBUG_COMMANDS": "true",  # allows --event-log
            "PULUMI_SKIP_CHECKPOINTS": "true",  # the state is written once, at the end: these runs are not killed
        }
        return inherited | engine | settings | (key_server.variables() if self.forked else {})


def beside(source: Path, folder: Path) -> Path:
    """A project folder that runs another folder's program, which keeps its stack files out of the source tree."""
    project = yaml.safe_load((source / "Pulumi.yaml").read_text())
    folder.mkdir(parents=True, exist_ok=True)
    main = str(source / project.get("main", ""))
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(project | {"main": main}, sort_keys=False))
    return folder


def _events(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_text().splitlines() if log.exists() else []:
        yield json.loads(line)


def _step(metadata: dict[str, Any]) -> Step:
    detailed: dict[str, dict[str, Any]] = metadata.get("detailedDiff") or {}
    forcing = [path for path, change in detailed.items() if change["diffKind"].endswith("-replace")]
    return Step(
        op=metadata["op"],
        type=metadata["type"],
        name=metadata["urn"].rpartition("::")[2],
        diff=tuple(sorted(detailed or metadata.get("diffs") or ())),
        replace=tuple(sorted(forcing or metadata.get("keys") or ())),
    )
