"""The control groups of a node: one below each hierarchy that is mounted, version 1 or 2."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.cluster.processes import ProcessError

_MOUNTS = Path("/proc/self/mountinfo")
_PATIENCE = 10.0
_CONTROLLERS = ("cpuset", "cpu", "io", "memory", "hugetlb", "pids")
"""What the kubelet and runc use of version 2."""


class _Hierarchy(NamedTuple):
    """Where one is mounted, and whether it is the only one, with all controllers, as in version 2."""

    root: Path
    is_unified: bool


def refusal() -> str:
    """Why groups of the node's own would get no controllers and what to do, in a sentence; empty when they get them."""
    for root, is_unified in _hierarchies():
        if is_unified and _disabled(root) and _holds_processes(root):
            return (
                f"a real node needs control groups with controllers, and {root} gives groups below it none, because it "
                "holds processes itself, as in a container with a control group namespace: start the container with "
                "--cgroupns=host, or leave NODE=real out, and the nodes are simulated"
            )
    return ""


def make(name: str) -> None:
    """Makes the groups below which the kubelet puts its pods."""
    for root, is_unified in _hierarchies():
        for group in (root / name, root / name / "kubepods"):
            if is_unified:
                _enable(group.parent)
            group.mkdir(exist_ok=True)
            if not is_unified:
                _inherit(group)


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


def _inherit(group: Path) -> None:
    """A new group of version 1 has neither processors nor memory, and takes no process."""
    for file in ("cpuset.cpus", "cpuset.mems"):
        inherited = group.parent / file
        if inherited.exists() and (cpus := inherited.read_text().strip()):
            (group / file).write_text(cpus)


def _enable(group: Path) -> None:
    """Gives the groups below a group of version 2 their controllers: without these the kubelet refuses to start.

    They stay enabled in the machine's first group, where other nodes may need them.
    """
    for controller in _disabled(group):
        try:
            (group / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError as error:
            raise ProcessError(f"the controller {controller} can't be enabled in {group}: {error.strerror}") from error


def _disabled(group: Path) -> list[str]:
    """The controllers that a group has, and the groups below it have not."""
    has, gives = ((group / file).read_text().split() for file in ("cgroup.controllers", "cgroup.subtree_control"))
    return [controller for controller in _CONTROLLERS if controller in has and controller not in gives]


def _holds_processes(group: Path) -> bool:
    """Whether processes keep a group from enabling controllers. The machine's first group, which may, has no type."""
    return (group / "cgroup.type").exists() and bool((group / "cgroup.procs").read_text().strip())


def _groups(name: str) -> Iterator[Path]:
    """All groups of a node, the inner ones first."""
    for root, _ in _hierarchies():
        for folder, _, _ in os.walk(root / name, topdown=False):
            yield Path(folder)


def _hierarchies() -> list[_Hierarchy]:
    """Those that are mounted. One of version 2 beside others of version 1 has no controllers that anybody uses."""
    mounts = [line.partition(" - ") for line in _MOUNTS.read_text().splitlines()]
    roots = [(Path(mount.split()[4]), kind.split()[0]) for mount, _, kind in mounts]
    mixed = any(kind == "cgroup" for _, kind in roots)
    return [_Hierarchy(root, kind == "cgroup2" and not mixed) for root, kind in roots if kind in ("cgroup", "cgroup2")]


def _end_processes(group: Path) -> None:
    with contextlib.suppress(OSError):  # gone by now
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):  # a process is on its way out
        group.rmdir()
