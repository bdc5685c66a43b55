"""Runs this repository's Pulumi program, on a given cluster or on a local control plane.

    python -m tools.program up|preview|down|status [--stack dev]

KUBECONFIG, or `kubernetes:context` or `kubernetes:kubeconfig` in the stack's file, selects a given cluster. This is
then plain `pulumi` in the repository's folder, with the user's backend. It prints which cluster that is; `up` and
`down` show their changes and ask first, unless YES=1 is set. Otherwise everything is below `.run/`: a control plane
with simulated nodes for each stack, a project folder that points to this program, its state, and stand-ins for the
config secrets. Runs in the virtual environment.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from modelservices.commands.sources import plan_named_stack
from modelservices.findings import InvalidManifests
from modelservices.planning.plan import StackPlan
from modelservices.policy.config import config_findings  # pyright: ignore[reportMissingImports]
from modelservices.stack_config import cluster_config, config_file
from tools import on_path, toolchain
from tools.control_plane import ControlPlane
from tools.go_command import ToolchainError
from tools.platform import prepare

REPOSITORY = Path(__file__).parent.parent
RUN = REPOSITORY / ".run"
PULUMI = {
    "up": ["up", "--suppress-outputs"],
    "preview": ["preview", "--diff", "--suppress-outputs"],
    "down": ["destroy"],
}
"""The engine's arguments for each command. An update includes a preview, so that policy findings come before any
change."""
CHANGES = ("up", "down")
SETTINGS = {"preview": {"PULUMI_SKIP_CHECKPOINTS": "true"}}
"""A preview has no state to keep; writing it at each step would take most of a large stack's time."""
POLICY = REPOSITORY / "policy"


def main() -> int:
    """Runs the command line; returns the command's exit code, or 1 with the reason on stderr if it can't run."""
    arguments = _arguments()
    os.chdir(REPOSITORY)
    try:
        config_file(arguments.stack, Path())
        if _cluster_is_given(arguments.stack):
            return _run_on_given_cluster(arguments.command, arguments.stack)
        return _run_locally(arguments.command, arguments.stack)
    except (InvalidManifests, ToolchainError, NotAsked) as error:
        print(error, file=sys.stderr)
        return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.program", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=[*PULUMI, "status"])
    parser.add_argument("--stack", default="dev")
    return parser.parse_args()


def _cluster_is_given(stack: str) -> bool:
    return bool(os.environ.get("KUBECONFIG") or any(cluster_config(stack, REPOSITORY)))


class NotAsked(Exception):
    """No user is present to confirm a change of the cluster."""


def _run_on_given_cluster(command: str, stack: str) -> int:
    say(f"the cluster is {_cluster(stack)}")
    environment = engine(None)
    if command in CHANGES and not _is_yes():
        if not sys.stdin.isatty():
            _run("preview", stack, REPOSITORY, environment)
            raise NotAsked(f"nothing was changed: `make {command}` asks before it changes this cluster; YES=1 answers")
        return _run(command, stack, REPOSITORY, environment)
    return _run(command, stack, REPOSITORY, environment, *(["--yes"] if command in CHANGES else []))


def _is_yes() -> bool:
    return os.environ.get("YES", "") not in ("", "0")


def _cluster(stack: str) -> str:
    """The cluster as its user knows it: its context and the API server's address."""
    kubeconfig, context = cluster_config(stack, REPOSITORY)
    try:
        found = yaml.safe_load(kubeconfig or Path(os.environ["KUBECONFIG"].split(os.pathsep)[0]).read_text())
        name = context or found["current-context"]
        cluster = next(item["context"]["cluster"] for item in found["contexts"] if item["name"] == name)
        server = next(item["cluster"]["server"] for item in found["clusters"] if item["name"] == cluster)
        return f"{name} ({server})"
    except (KeyError, OSError, StopIteration, TypeError, AttributeError, yaml.YAMLError):
        return context or "the one of the default kubeconfig"


def plane_of(stack: str) -> Path:
    """The run folder of a stack's own control plane, as stacks use the same namespaces and names."""
    return RUN / f"local-{stack}"


def _run_locally(command: str, stack: str) -> int:
    plan = plan_named_stack(stack).raise_for_errors()
    plane = ControlPlane.start(plane_of(stack), progress=say)
    prepare(plane.api(), plan)
    environment = engine(plane.kubeconfig) | local_backend()
    project = _project(stack, plan, environment)
    flags = {"up": ["--yes"], "down": ["--yes", "--skip-preview"]}
    return _run(command, stack, project, environment, *flags.get(command, []))


def _run(command: str, stack: str, project: Path, environment: dict[str, str], *answers: str) -> int:
    code = 0
    if command in PULUMI:
        _pulumi(["stack", "select", "--create", stack], project, environment, quiet=True)
        flags = [] if command == "down" else policy_flags(stack)
        settings = SETTINGS.get(command, {})
        code = _pulumi([*PULUMI[command], *answers, "--stack", stack, *flags], project, environment | settings)
    if command in ("up", "status") and code == 0:
        status = [sys.executable, "-m", "modelservices", "status", "--stack", stack]
        return subprocess.run(status, cwd=REPOSITORY, env=environment, check=False).returncode
    return code


def policy_flags(stack: str) -> list[str]:
    """The engine's flags for the policy pack. Raises InvalidManifests if the pack's config is wrong.

    An installed engine starts the pack's folder; one built from modules can only start a program.
    """
    pack = POLICY if on_path.suite_is_there("engine") else POLICY / "run"
    own = POLICY / f"config.{stack}.json"
    config = own if own.exists() else POLICY / "config.json"
    findings = config_findings(config)
    if findings:
        raise InvalidManifests(findings)
    return ["--policy-pack", str(pack), "--policy-pack-config", str(config)]


def _pulumi(arguments: list[str], project: Path, environment: dict[str, str], *, quiet: bool = False) -> int:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(["pulumi", *arguments], cwd=project, env=environment, stdout=output, check=False).returncode


def engine(kubeconfig: Path | None) -> dict[str, str]:
    """The environment of the engine, whose language host finds our Python packages through PATH."""
    own = toolchain.engine_environment(progress=say)
    path = os.pathsep.join([str(Path(sys.executable).parent), own["PATH"]])
    cluster = {"KUBECONFIG": str(kubeconfig)} if kubeconfig else {}
    return {**os.environ, **own, "PATH": path, **cluster}


def local_backend() -> dict[str, str]:
    """Keeps the engine's state and passphrase in files of this checkout."""
    state = RUN / "state"
    state.mkdir(parents=True, exist_ok=True)
    passphrase = RUN / "passphrase"
    if not passphrase.exists():
        passphrase.touch(mode=0o600)
        passphrase.write_text(secrets.token_hex(16))
    # Without `metadata=skip` each checkpoint has a second file; if a run is killed while writing it, the stack can't be
    # loaded any more.
    return {
        "PULUMI_BACKEND_URL": f"file://{state}?metadata=skip",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(passphrase),
    }


def _project(stack: str, plan: StackPlan, environment: dict[str, str]) -> Path:
    """A project folder for the local stack, which keeps its salt and stand-in secrets out of the repository's files."""
    folder = RUN / "project"
    folder.mkdir(parents=True, exist_ok=True)
    project = yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text())
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(project | {"main": str(REPOSITORY)}))
    local = folder / f"Pulumi.{stack}.yaml"
    salt = yaml.safe_load(local.read_text()).get("encryptionsalt") if local.exists() else None
    shutil.copy(REPOSITORY / local.name, local)
    if salt:
        with local.open("a") as file:
            file.write(f"encryptionsalt: {salt}\n")
    _pulumi(["stack", "select", "--create", stack], folder, environment, quiet=True)
    for reference in sorted({name for secret in plan.secrets for name in secret.references().values()}):
        value = os.environ.get(reference, f"stand-in for {reference}")
        command = ["config", "set", "--stack", stack, "--secret", f"modelservices:{reference}", "--", value]
        _pulumi(command, folder, environment, quiet=True)
    return folder


def say(line: str) -> None:
    """Print a progress line to stderr."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
