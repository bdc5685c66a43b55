"""Timing whole processes: the sides of a comparison in turn, so that a machine that slows down slows all of them."""

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
"""Set in many containers. Without compiled modules each run would compile a package again, which pip does only once."""
_MARGIN = 1.2
"""A side that is stopped has run for so much longer than the goal needs."""


@dataclass(frozen=True)
class Command:
    """A process to time: its words, where it runs, and what is done before each run."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    before: Callable[[], None] | None = None


@dataclass(frozen=True)
class Figure:
    """One run: wall seconds, CPU seconds of the whole tree of processes, and the largest process' memory in MiB.

    One that was ``stopped`` would have taken longer.
    """

    seconds: float
    cpu: float
    memory: float
    stopped: bool = False


@dataclass(frozen=True)
class Measure:
    """A comparison: what ours took and what the other side took, run by run, and the ratio that is to be reached.

    ``goal`` is met by a ratio that is no larger. ``note`` says what the other side is, where the name doesn't. ``cpu``
    has the CPU seconds of both, run by run, and ``memory`` the MiB of their largest processes; of ``stopped`` ones
    none: their ratio is an upper bound.
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
        """Pair by pair."""
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
    """Run once, for ``limit`` seconds at most. Raises RuntimeError with the output when the command fails."""
    if command.before:
        command.before()
    environment = {name: value for name, value in command.environment.items() if name != _NO_BYTECODE}
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command.words, cwd=command.folder, env=environment, stdout=output, stderr=output)
        # Interrupted, the engine ends its plugins; killed, it would leave them behind.
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
    """The figures of each command, after one run of each that does not count where there are several.

    Where ours, the first, is to take less than half of the others' time, they are stopped when that is sure.
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
    """The medians of several runs after one that does not count."""
    run(command)
    figures = [run(command) for _ in range(runs)]
    return Figure(
        statistics.median(figure.seconds for figure in figures),
        statistics.median(figure.cpu for figure in figures),
        statistics.median(figure.memory for figure in figures),
    )
