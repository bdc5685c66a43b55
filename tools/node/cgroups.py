"""The control groups of a node: one below each mounted hierarchy, version 1 or 2."""

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
"""The controllers of version 2 that the kubelet and runc use."""


class _Hierarchy(NamedTuple):
    """A hierarchy's mount point, and whether it is the only hierarchy and has all controllers, as in version 2."""

    root: Path
    is_unified: bool


def refusal() -> str:
    """A sentence about why the node's control groups would get no controllers and what to do; empty if they get
    them."""
    for root, is_unified in _hierarchies():
        if is_unified and _disabled(root) and _holds_processes(root):
            return (
                f"a real node needs control groups with controllers, and {root} gives groups below it none, because it "
                "holds processes itself, as in a container with a control group namespace: start the container with "
                "--cgroupns=host, or leave NODE=real out, and the nodes are simulated"
            )
    return ""


def make(name: str) -> None:
    """Creates the groups below which the kubelet creates pods' groups."""
    for root, is_unified in _hierarchies():
        for group in (root / name, root / name / "kubepods"):
            if is_unified:
                _enable(group.parent)
            group.mkdir(exist_ok=True)
            if not is_unified:
                _inherit(group)


def remove(name: str) -> None:
    """Kills the remaining processes in a node's groups and removes the groups."""
    end = time.monotonic() + _PATIENCE
    while groups := list(_groups(name)):
        for group in groups:
            _end_processes(group)
            _remove(group)
        if time.monotonic() > end:
            raise ProcessError(f"the control groups below {groups[-1]} can't be removed: processes are left in them")
        time.sleep(0.02)


def _inherit(group: Path) -> None:
    """Copies the parent's CPUs and memory nodes: a new version 1 group has neither and accepts no processes."""
    for file in ("cpuset.cpus", "cpuset.mems"):
        inherited = group.parent / file
        if inherited.exists() and (cpus := inherited.read_text().strip()):
            (group / file).write_text(cpus)


def _enable(group: Path) -> None:
    """Enables controllers for the groups below a group of version 2; without them the kubelet refuses to start.

    They stay enabled in the machine's root group, where other nodes may need them.
    """
    for controller in _disabled(group):
        try:
            (group / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError as error:
            raise ProcessError(f"the controller {controller} can't be enabled in {group}: {error.strerror}") from error


def _disabled(group: Path) -> list[str]:
    """The controllers that a group has but doesn't enable for the groups below it."""
    has, gives = ((group / file).read_text().split() for file in ("cgroup.controllers", "cgroup.subtree_control"))
    return [controller for controller in _CONTROLLERS if controller in has and controller not in gives]


def _holds_processes(group: Path) -> bool:
    """Whether a group's processes prevent it from enabling controllers; the root group, which has no type, is
    exempt."""
    return (group / "cgroup.type").exists() and bool((group / "cgroup.procs").read_text().strip())


def _groups(name: str) -> Iterator[Path]:
    for root, _ in _hierarchies():
        for folder, _, _ in os.walk(root / name, topdown=False):
            yield Path(folder)


def _hierarchies() -> list[_Hierarchy]:
    """The mounted hierarchies. A version 2 hierarchy beside version 1 hierarchies has no controllers in use."""
    mounts = [line.partition(" - ") for line in _MOUNTS.read_text().splitlines()]
    roots = [(Path(mount.split()[4]), kind.split()[0]) for mount, _, kind in mounts]
    mixed = any(kind == "cgroup" for _, kind in roots)
    return [_Hierarchy(root, kind == "cgroup2" and not mixed) for root, kind in roots if kind in ("cgroup", "cgroup2")]


def _end_processes(group: Path) -> None:
    with contextlib.suppress(OSError):  # already gone
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):  # a process is still exiting
        group.rmdir()
