"""Measures rendering and checking without an engine: start-up, against `helm template`, and growth."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.chart import write_chart, write_values
from bench.measure import Command, Measure, compare, several
from bench.services import write_each, write_manifests
from tools import toolchain

REPOSITORY = Path(__file__).parent.parent
RENDER_SECONDS = 0.35
"""Limit for rendering one service on two quiet cores, in CPU seconds, which other load affects less."""
_HELM_PROCESSES = 20
"""The number of processes to time for one process per service; the others are assumed to take equally long."""


def start_up(runs: int, scratch: Path) -> Iterator[Measure]:
    """The CPU time of the command line for one service."""
    floor = _python("import yaml, pydantic")
    for command in ("validate", "render"):
        measured = compare(command, 1, _components(command, _folder(1, scratch)), floor, runs)
        seconds = tuple(ours for ours, _ in measured.cpu)
        note = f"CPU time, against {RENDER_SECONDS} s"
        yield Measure(f"`{command}` of one service", 1, seconds, (RENDER_SECONDS,) * runs, note=note)


def against_helm(count: int, runs: int, scratch: Path) -> Iterator[Measure]:
    """The same services, start-up included: in one process, and in one process per service, as charts are used."""
    ours = _components("render", _folder(count, scratch))
    measure = compare(f"`render` of {count} services", 1.0, ours, _helm(count, scratch), runs, note="`helm template`")
    yield measure
    one = several(_helm(1, scratch), _HELM_PROCESSES).seconds
    alike = (one * count,) * len(measure.ours)
    yield Measure(f"`render` of {count} services", 0.05, measure.ours, alike, note="one `helm template` for each")


def one_file(count: int, runs: int, scratch: Path) -> Iterator[Measure]:
    """Validates a changed file alone, without the references into other files, against validating all files."""
    folder = scratch / f"each-{count}"
    write_each(count, folder)
    one = _components("validate", folder / "svc-0000.yaml")
    yield compare(f"`validate` of one file of {count}", 1 / 3, one, _components("validate", folder), runs)


def growth(small: int, large: int, runs: int, scratch: Path) -> Iterator[Measure]:
    """CPU seconds and memory per service in the second half of the range from ``small`` to ``large``, against the
    first.

    ``small`` must not be tiny: a process's peak memory includes its parent's, which is more than a single service
    needs.
    """
    half = (large - small) // 2
    sizes = (small, small + half, small + 2 * half)
    few, some, many = (several(_components("render", _folder(count, scratch)), runs) for count in sizes)
    name = f"a service, from {small} to {large}"
    cpu = ((many.cpu - some.cpu) / half * 1000, (some.cpu - few.cpu) / half * 1000)
    memory = ((many.memory - some.memory) / half, (some.memory - few.memory) / half)
    yield Measure(f"CPU time for {name}", 1.1, cpu[:1], cpu[1:], unit="ms", note="second half against first")
    yield Measure(f"memory for {name}", 1.1, memory[:1], memory[1:], unit="MiB", note="second half against first")


def _folder(count: int, scratch: Path) -> Path:
    folder = scratch / f"render-{count}"
    if not folder.exists():
        write_manifests(count, folder)
    return folder


def _helm(count: int, scratch: Path) -> Command:
    chart, values = scratch / "chart", scratch / f"values-{count}.yaml"
    if not chart.exists():
        write_chart(chart)
    write_values(count, values)
    helm = str(toolchain.ensure("helm")["helm"])
    return Command([helm, "template", "bench", str(chart), "--values", str(values)], REPOSITORY, os.environ)


def _components(command: str, path: Path) -> Command:
    return Command([sys.executable, "-m", "modelservices", command, str(path)], REPOSITORY, os.environ)


def _python(code: str) -> Command:
    return Command([sys.executable, "-c", code], REPOSITORY, os.environ)
