"""Timing whole processes: two commands in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """A process to time: its words, where it runs, and what is done before each run."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Figure:
    """The median of several runs: wall seconds, and the largest process' memory in MiB."""

    seconds: float
    memory: float


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


def pair(ours: Command, theirs: Command, runs: int) -> tuple[Figure, Figure, float]:
    """Medians of both, and the median of the ratios pair by pair, after one run of each that does not count."""
    run(ours), run(theirs)
    pairs = [(run(ours), run(theirs)) for _ in range(runs)]
    ratio = statistics.median(our.seconds / their.seconds for our, their in pairs)
    return _median([our for our, _ in pairs]), _median([their for _, their in pairs]), ratio


def several(command: Command, runs: int) -> Figure:
    """The median of several runs after one that does not count."""
    run(command)
    return _median([run(command) for _ in range(runs)])


def _median(figures: Sequence[Figure]) -> Figure:
    return Figure(
        statistics.median(figure.seconds for figure in figures), statistics.median(figure.memory for figure in figures)
    )
