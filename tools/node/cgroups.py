"""The control groups of a node: one below each hierarchy that is mounted, version 1 or 2."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from tools.cluster.processes import ProcessError

_MOUNTS = Path("/proc/self/mountinfo")
_PATIENCE = 10.0


def make(name: str) -> None:
    """Makes the groups below which the kubelet puts its pods."""
    for root in _hierarchies():
        for group in (root / name, root / name / "kubepods"):
            group.mkdir(exist_ok=True)
            for file in ("cpuset.cpus", "cpuset.mems"):  # a new group of version 1 has none, and takes no process
                inherited = group.parent / file
                if inherited.exists() and (cpus := inherited.read_text().strip()):
                    (group / file).write_text(cpus)


def remove(name: str) -> None:
    """Ends what is left in the groups of a node, and removes them."""
    end = time.monotonic() + _PATIENCE
    while groups := list(_groups(name)):
        for group in groups:
            _end_processes(group)
            _remove(group)
        if time.monotonic() > end:
            raise ProcessError(f"the control groups below {groups[-1]} can't be removed: processes are left in them")
        time.sleep(0.02)


def _groups(name: str) -> Iterator[Path]:
    """All groups of a node, the inner ones first."""
    for root in _hierarchies():
        for folder, _, _ in os.walk(root / name, topdown=False):
            yield Path(folder)


def _hierarchies() -> list[Path]:
    """The mount points of cgroup file systems."""
    mounts = (line.partition(" - ") for line in _MOUNTS.read_text().splitlines())
    return [Path(mount.split()[4]) for mount, _, kind in mounts if kind.split()[0] in ("cgroup", "cgroup2")]


def _end_processes(group: Path) -> None:
    with contextlib.suppress(OSError):  # gone by now
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):  # a process is on its way out
        group.rmdir()
