"""Our program against a bare one on the real engine. Both write YAML through the provider, so no cluster is timed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from bench.measure import Command, pair
from bench.services import write_manifests
from components.planning.plan import StackPlan, plan_paths
from components.planning.settings import Settings
from tools import toolchain

REPOSITORY = Path(__file__).parent.parent
STACK = "bench"


def measure(sizes: list[int], runs: int, scratch: Path) -> Iterator[list[str]]:
    """A row for each command and size: N, seconds of ours, of the bare program, the ratio, memory of ours."""
    for count in sizes:
        folder = scratch / str(count)
        write_manifests(count, folder / "manifests")
        plan = plan_paths([folder / "manifests"], Settings(), namespace="bench").raise_for_errors()
        ours, theirs = _our_project(folder), _bare_project(folder, plan)
        for name, words in {"preview": ["preview"], "up": ["up", "--yes", "--skip-preview"]}.items():
            our, their, ratio = pair(_command(ours, words), _command(theirs, words), runs)
            yield [
                f"`pulumi {name}`, {count} services",
                f"{our.seconds:.1f} s",
                f"{their.seconds:.1f} s",
                f"{ratio:.2f}",
            ]


def _our_project(folder: Path) -> Path:
    project = folder / "ours"
    _project(project, yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text()) | {"main": str(REPOSITORY)})
    config = {"modelservices:manifests": [str(folder / "manifests")]}
    _stack_file(project, config)
    return project


def _bare_project(folder: Path, plan: StackPlan) -> Path:
    project = folder / "bare"
    _project(project, {"name": "bare", "runtime": "python", "main": str(REPOSITORY / "bench" / "bare")})
    objects = folder / "objects.json"
    objects.write_text(json.dumps([*plan.all_objects(), *plan.chart]))
    _stack_file(project, {"bench:objects": str(objects)})
    return project


def _project(folder: Path, content: dict) -> None:
    folder.mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(content))


def _stack_file(project: Path, config: dict) -> None:
    written = {"kubernetes:renderYamlToDirectory": str(project / "yaml")}
    (project / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump({"config": config | written}))


def _command(project: Path, words: list[str]) -> Command:
    environment = _environment(project)

    def fresh() -> None:
        """Each run starts from an empty state."""
        for leftover in ("yaml", "state"):
            shutil.rmtree(project / leftover, ignore_errors=True)
        (project / "state").mkdir()
        select = ["pulumi", "stack", "init", STACK, "--non-interactive"]
        subprocess.run(select, cwd=project, env=environment, check=True, capture_output=True)

    return Command(["pulumi", *words, "--stack", STACK, "--non-interactive"], project, environment, fresh)


def _environment(project: Path) -> dict[str, str]:
    engine = toolchain.engine_environment()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "KUBE"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), engine["PATH"]])
    state = {"PULUMI_BACKEND_URL": f"file://{project / 'state'}", "PULUMI_CONFIG_PASSPHRASE": "bench"}
    return {**kept, **engine, **state, "PATH": path, "KUBECONFIG": os.devnull}
