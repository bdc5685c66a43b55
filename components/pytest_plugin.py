"""Fixtures for pytest, available wherever the package is installed.

    def test_chat(render_program, objects_snapshot):
        objects_snapshot(render_program(deploy))

``render_program`` is :func:`modelservices.testing.render`. ``objects_snapshot`` compares the Kubernetes objects with
those of the last accepted run, stored beside the test in ``snapshots/<module>/<test>.yaml``. The first run, and every
run with ``pytest --update-objects``, writes them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .testing import Recording

Snapshot = Callable[["Recording | Iterable[dict[str, Any]]"], None]
"""Takes a recording or objects, and fails the test with a diff if they differ from the snapshot."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that accepts the current objects."""
    group = parser.getgroup("modelservices")
    group.addoption("--update-objects", action="store_true", help="write the snapshots of Kubernetes objects anew")


@pytest.fixture
def render_program() -> Callable[..., Recording]:
    """Runs a program on the mock engine, as :func:`modelservices.testing.render` does."""
    from .testing import render

    return render


@pytest.fixture
def objects_snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """Compares Kubernetes objects with those of the last accepted run."""
    name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
    file = request.path.parent / "snapshots" / request.path.stem / f"{name}.yaml"

    def compare(objects: Recording | Iterable[dict[str, Any]]) -> None:
        _compare(_text(objects), file, update=bool(request.config.getoption("--update-objects")))

    return compare


def _text(recorded: Recording | Iterable[dict[str, Any]]) -> str:
    from .planning.yaml_files import stream
    from .testing import Recording

    objects = recorded.objects() if isinstance(recorded, Recording) else list(recorded)
    return stream(sorted(objects, key=_place))


def _place(obj: dict[str, Any]) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return obj["kind"], metadata.get("namespace", ""), metadata["name"]


def _compare(text: str, file: Path, *, update: bool) -> None:
    if update or not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return
    before = file.read_text()
    if before != text:
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), str(file), "now", lineterm="")
        pytest.fail("\n".join(["the objects differ (pytest --update-objects accepts them):", *lines]), pytrace=False)
