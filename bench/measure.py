"""Times whole processes. The sides of a comparison alternate, so that a slower machine slows down all sides."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Many containers set it. Without compiled modules each run would compile packages again, which pip does only once."""
_MARGIN = 1.2
"""A side is stopped after this multiple of the time that the goal allows."""


@dataclass(frozen=True)
class Command:
    """A process to time: its words, its folder, its environment, and a function to call before each run."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Figure:
    """One run: wall seconds, CPU seconds of the whole process tree, and peak memory of the largest process in MiB.

    A ``stopped`` run would have taken longer.
    """

    seconds: float
    cpu: float
    memory: float
    stopped: bool = False


@dataclass(frozen=True)
class Measure:
    """A comparison of our figures and the other side's, run by run, with the ratio to reach.

    ``goal`` is the largest ratio that meets it. ``note`` describes the other side if the name doesn't. ``cpu`` has the
    CPU seconds of both sides, run by run, and ``memory`` the MiB of their largest processes. If the other side was
    ``stopped``, both are empty and the ratio is an upper bound.
    """

    name: str
    goal: float
    ours: tuple[float, ...]
    other: tuple[float, ...]
    unit: str = "s"
    note: str = ""
    cpu: tuple[tuple[float, float], ...] = ()
    memory: tuple[tuple[float, float], ...] = ()
    stopped: bool = False

    @classmethod
    def of(cls, name: str, goal: float, ours: Sequence[Figure], other: Sequence[Figure], *, note: str = "") -> Measure:
        stopped = any(figure.stopped for figure in other)
        pairs = [] if stopped else list(zip(ours, other, strict=True))
        return cls(
            name,
            goal,
            tuple(figure.seconds for figure in ours),
            tuple(figure.seconds for figure in other),
            note=note,
            cpu=tuple((our.cpu, their.cpu) for our, their in pairs),
            memory=tuple((our.memory, their.memory) for our, their in pairs),
            stopped=stopped,
        )

    @property
    def ratios(self) -> list[float]:
        """The ratio of each pair."""
        return [our / other for our, other in zip(self.ours, self.other, strict=True)]

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    @property
    def cpu_ratio(self) -> float | None:
        return statistics.median(our / other for our, other in self.cpu) if self.cpu else None

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "cpu_ratio": self.cpu_ratio}


def run(command: Command, limit: float | None = None) -> Figure:
    """Run once, for at most ``limit`` seconds. Raises RuntimeError with the output if the command fails."""
    if command.before:
        command.before()
    environment = {name: value for name, value in command.environment.items() if name != _NO_BYTECODE}
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command.words, cwd=command.folder, env=environment, stdout=output, stderr=output)
        # On an interrupt the engine stops its plugins; killed, it would leave them behind.
        stop = threading.Timer(limit, os.kill, (process.pid, signal.SIGINT)) if limit else None
        if stop:
            stop.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        if stop:
            stop.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        stopped = limit is not None and seconds > limit
        if process.returncode and not stopped:
            output.seek(0)
            raise RuntimeError(f"{' '.join(command.words)}: {output.read().decode()[-4000:]}")
    return Figure(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, stopped)


def in_turn(commands: Sequence[Command], runs: int, *, goal: float = 1.0) -> list[list[Figure]]:
    """The figures of each command. If there are several runs, an additional first run is discarded.

    If ours, the first, should take at most half of the others' time, the others are stopped when that is certain.
    """
    found: list[list[Figure]] = [[] for _ in commands]
    for turn in range(runs if runs == 1 else runs + 1):
        ours = run(commands[0])
        limit = ours.seconds / goal * _MARGIN if goal <= 0.5 else None
        figures = [ours, *(run(command, limit) for command in commands[1:])]
        if turn or runs == 1:
            for side, figure in zip(found, figures, strict=True):
                side.append(figure)
    return found


def compare(name: str, goal: float, ours: Command, other: Command, runs: int, *, note: str = "") -> Measure:
    return Measure.of(name, goal, *in_turn([ours, other], runs), note=note)


def several(command: Command, runs: int) -> Figure:
    """The medians of several runs; an additional first run is discarded."""
    run(command)
    figures = [run(command) for _ in range(runs)]
    return Figure(
        statistics.median(figure.seconds for figure in figures),
        statistics.median(figure.cpu for figure in figures),
        statistics.median(figure.memory for figure in figures),
    )
