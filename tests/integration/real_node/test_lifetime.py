"""A separate node leaves nothing on the machine when it stops; after it was killed, the next start cleans up.

The tests compare processes, mounts, interfaces, control groups and files.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.integration.real_node.pods import CURL
from tests.integration.waiting import eventually
from tools.control_plane import ControlPlane
from tools.node import needs
from tools.node.layout import Layout

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "sleeper"},
    "spec": {"containers": [{"name": "main", "image": CURL, "command": ["sleep", "infinity"]}]},
}


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    reason = needs.missing()
    if reason:
        pytest.skip(reason)
    return tmp_path / "plane"


def start(run_dir: Path) -> ControlPlane:
    """A control plane with a running pod on its node."""
    plane = ControlPlane.start(run_dir, crds=(), real_node=True)
    path = "/api/v1/namespaces/default"
    eventually(lambda: bool(plane.api().get(f"{path}/serviceaccounts")["items"]), "the default service account")
    plane.api().apply(f"{path}/pods/sleeper", json.dumps(POD))
    eventually(lambda: plane.api().get(f"{path}/pods/sleeper")["status"].get("phase") == "Running", "a running pod")
    return plane


def machine() -> tuple[list[str], list[str]]:
    """The machine's mounts and interfaces."""
    return Path("/proc/self/mounts").read_text().splitlines(), sorted(os.listdir("/sys/class/net"))


def processes(layout: Layout) -> set[str]:
    """The running programs of a node and its pods."""
    found: set[str] = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            texts = [(process / name).read_text(errors="replace") for name in ("cmdline", "cgroup", "comm")]
        except OSError:  # gone by now
            continue
        if (
            str(layout.folder) in texts[0]
            or layout.name in texts[1]
            or f"tools.node.inside\0{layout.run_dir}" in texts[0]
        ):
            found.add(texts[2].strip())
    return found


def kill(plane: ControlPlane) -> None:
    """Kills the processes of a control plane, and returns when nothing runs on its node any more."""
    for pid in filter(None, (process.pid() for process in plane.processes())):
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: not processes(Layout(plane.run_dir)), "the end of what runs on the node")


def left(layout: Layout) -> list[Path]:
    """The remaining control groups, sockets and files of a node."""
    # Not with `glob`, which fails if the group of another node's pod disappears at the same time.
    groups = [path for folder, _, _ in os.walk("/sys/fs/cgroup") if (path := Path(folder)).name == layout.name]
    return [*groups, *(path for path in (layout.sockets, layout.folder) if path.exists())]


def test_nothing_of_a_stopped_node_is_left(run_dir: Path) -> None:
    layout = Layout(run_dir)
    before = machine()

    with start(run_dir):
        assert processes(layout) >= {"kubelet", "kube-proxy", "containerd", "coredns", "sleep"}
        assert machine() == before

    assert (processes(layout), left(layout)) == (set(), [])
    assert machine() == before


def test_a_killed_run_ends_the_node_and_the_next_one_cleans_up(run_dir: Path) -> None:
    layout = Layout(run_dir)
    before = machine()
    plane = start(run_dir)

    kill(plane)

    assert machine() == before
    with start(run_dir):
        eventually(lambda: "sleep" in processes(layout), "the pod, which the store has kept")
    assert (processes(layout), left(layout)) == (set(), [])
