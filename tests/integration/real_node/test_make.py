"""`make up NODE=real` in a fresh clone: a model answers, and nothing of the node is left, nor of a killed one.

The toolchain's cache and the Python packages are those of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.real_node.test_lifetime import kill, left, machine, processes
from tests.integration.test_make import cloned, make
from tools.control_plane import ControlPlane
from tools.node import needs
from tools.node.layout import Layout


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    reason = needs.missing()
    if reason:
        pytest.skip(reason)
    folder = cloned(tmp_path / "modelservices")
    yield folder
    ControlPlane(folder / ".run/real").stop()


def test_a_clone_asks_a_model_and_leaves_nothing(clone: Path) -> None:
    plane = ControlPlane(clone / ".run/real")
    layout = Layout(plane.run_dir)
    before = machine()

    assert_answered(make(clone, "up", "NODE=real"))
    assert processes(layout) and left(layout)
    kill(plane)
    assert_answered(make(clone, "up", "NODE=real"))
    make(clone, "down", "NODE=real")

    assert (processes(layout), left(layout)) == (set(), [])
    assert machine() == before


def assert_answered(printed: str) -> None:
    """The status table, and the answer to a question."""
    lines = [line.split() for line in printed.splitlines()]
    status = next(index for index, line in enumerate(lines) if line[:3] == ["SERVICE", "KIND", "PHASE"])
    smoke = next(index for index, line in enumerate(lines) if line[:4] == ["SERVICE", "KIND", "MODEL", "CALL"])
    assert lines[status + 1][:4] == ["models/chat", "InferenceService", "Ready", "1/1"]
    assert (lines[smoke + 1][0], lines[smoke + 1][3]) == ("models/chat", "chat")
