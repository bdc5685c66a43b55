"""Compares our program with others on the real engine. All write YAML through the provider, so no cluster is timed.

Ours runs as our commands run it. The bare program runs as people run it, and also with our settings.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench.measure import Command, Measure, compare, in_turn
from bench.services import write_each
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings
from tools import toolchain

REPOSITORY = Path(__file__).parent.parent
STACK = "bench"
PREVIEW = ("preview",)
UP = ("up", "--yes", "--skip-preview")
AT_THE_END = {"PULUMI_SKIP_CHECKPOINTS": "true"}
"""Writes the state once at the end instead of at each step."""
GOALS = {
    10: {"preview": 1.1, "up": 1.1},
    100: {"preview": 0.25, "up": 0.5},
    400: {"preview": 0.1, "up": 0.3},
}
"""Goals against the bare program as people run it, by number of services; larger stacks would take too long that
way."""
TYPED = 100


@dataclass(frozen=True)
class Programs:
    """The folders of projects that create the same objects."""

    ours: Path
    bare: Path
    typed: Path


def measure(count: int, runs: int, scratch: Path) -> Iterator[Measure]:
    """All measures for a stack of ``count`` services."""
    programs = _programs(count, scratch / str(count))
    size = f"{count} services"
    for name, words in {"preview": PREVIEW, "up": UP}.items():
        ours = _command(programs.ours, words, AT_THE_END)
        if count in GOALS:
            goal = GOALS[count][name]
            # If the other side is stopped at a limit, one run is enough.
            found = in_turn([ours, _command(programs.bare, words)], runs if goal > 1 else 1, goal=goal)
            yield Measure.of(f"`{name}`, {size}", goal, *found, note="bare, as people run it")
        same = _command(programs.bare, words, AT_THE_END)
        yield compare(f"`{name}`, {size}, same settings", 1.05, ours, same, runs, note="bare")
    yield _state(programs, size)
    yield _one_change(programs, size, runs)
    if count <= TYPED:
        typed = _command(programs.typed, PREVIEW, AT_THE_END)
        ours = _command(programs.ours, PREVIEW, AT_THE_END)
        yield compare(f"`preview`, {size}, typed", 0.8, ours, typed, runs, note="typed classes, same settings")


def _state(programs: Programs, size: str) -> Measure:
    ours, bare = (
        sum(file.stat().st_size for file in (project / "state").rglob(f"stacks/**/{STACK}.json")) / 2**20
        for project in (programs.ours, programs.bare)
    )
    return Measure(f"state, {size}", 1.25, (ours,), (bare,), unit="MiB", note="bare")


def _one_change(programs: Programs, size: str, runs: int) -> Measure:
    """A preview after a change of one service, on stacks that are up since the last update."""
    _change_one(programs)
    ours, bare = (
        Command(_words(PREVIEW), project, _environment(project, AT_THE_END))
        for project in (programs.ours, programs.bare)
    )
    return compare(f"`preview` of one changed service, {size}", 1.05, ours, bare, runs, note="bare, same settings")


def _change_one(programs: Programs) -> None:
    manifests = programs.ours.parent / "manifests"
    file = manifests / "svc-0000.yaml"
    file.write_text(file.read_text().replace("contextSize: 8192", "contextSize: 4096"))
    _write_objects(programs.ours.parent, _plan(manifests))


def _programs(count: int, folder: Path) -> Programs:
    manifests = folder / "manifests"
    write_each(count, manifests)
    _write_objects(folder, _plan(manifests))
    ours, bare, typed = (folder / name for name in ("ours", "bare", "typed"))
    own = yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text())
    _project(ours, own | {"main": str(REPOSITORY)}, {"modelservices:manifests": [str(manifests)]})
    for project in (bare, typed):
        main = {"name": project.name, "runtime": "python", "main": str(REPOSITORY / "bench" / project.name)}
        _project(project, main, {"bench:objects": str(folder / "objects.json")})
    return Programs(ours, bare, typed)


def _plan(manifests: Path) -> StackPlan:
    return plan_paths([manifests], Settings(), namespace="bench").raise_for_errors()


def _write_objects(folder: Path, plan: StackPlan) -> None:
    (folder / "objects.json").write_text(json.dumps([*plan.all_objects(), *plan.chart]))


def _project(folder: Path, content: Mapping[str, object], config: Mapping[str, object]) -> None:
    folder.mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(dict(content)))
    written = {"kubernetes:renderYamlToDirectory": str(folder / "yaml")}
    (folder / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump({"config": {**config, **written}}))


def _command(project: Path, words: tuple[str, ...], settings: Mapping[str, str] | None = None) -> Command:
    environment = _environment(project, settings or {})

    def fresh() -> None:
        """Each run starts from an empty state."""
        for leftover in ("yaml", "state"):
            shutil.rmtree(project / leftover, ignore_errors=True)
        (project / "state").mkdir()
        select = ["pulumi", "stack", "init", STACK, "--non-interactive"]
        subprocess.run(select, cwd=project, env=environment, check=True, capture_output=True)

    return Command(_words(words), project, environment, fresh)


def _words(words: tuple[str, ...]) -> list[str]:
    return ["pulumi", *words, "--stack", STACK, "--non-interactive"]


def _environment(project: Path, settings: Mapping[str, str]) -> dict[str, str]:
    engine = toolchain.engine_environment()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "KUBE"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), engine["PATH"]])
    state = {"PULUMI_BACKEND_URL": f"file://{project / 'state'}", "PULUMI_CONFIG_PASSPHRASE": "bench"}
    return {**kept, **engine, **state, **settings, "PATH": path, "KUBECONFIG": os.devnull}
