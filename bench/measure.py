"""Timing whole processes: two commands in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Command:
    """A process to time: its words, where it runs, and what is done before each run."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Figure:
    """One run: wall seconds, and the largest process' memory in MiB."""

    seconds: float
    memory: float


@dataclass(frozen=True)
class Measure:
    """A comparison: what ours took and what the other side took, run by run, and the ratio that is to be reached.

    ``goal`` is met by a ratio that is no larger. ``note`` says what the two sides are, where the name doesn't.
    """

    name: str
    goal: float
    ours: tuple[float, ...]
    other: tuple[float, ...]
    unit: str = "s"
    note: str = ""

    @property
    def ratios(self) -> list[float]:
        """Pair by pair."""
        return [our / other for our, other in zip(self.ours, self.other, strict=True)]

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def run(command: Command) -> Figure:
    """Run once. Raises RuntimeError with the output when the command fails."""
    if command.before:
        command.before()
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command.words, cwd=command.folder, env=dict(command.environment), stdout=output, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{' '.join(command.words)}: {output.read().decode()[-4000:]}")
    return Figure(seconds, usage.ru_maxrss / 1024)


def compare(name: str, goal: float, ours: Command, other: Command, runs: int, *, note: str = "") -> Measure:
    """Both in turn, after one run of each that does not count where there are several."""
    if runs > 1:
        run(ours), run(other)
    pairs = [(run(ours).seconds, run(other).seconds) for _ in range(runs)]
    return Measure(name, goal, tuple(our for our, _ in pairs), tuple(other for _, other in pairs), note=note)


def several(command: Command, runs: int) -> Figure:
    """The medians of several runs after one that does not count."""
    run(command)
    figures = [run(command) for _ in range(runs)]
    return Figure(
        statistics.median(figure.seconds for figure in figures), statistics.median(figure.memory for figure in figures)
    )
