"""A cache, a PATH and a Go command of the tests' own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools import go_build
from tools.versions import Tool

HELLO = Tool("hello", "hello", ".", "1.0")

# Answers `go env GOVERSION`, and `go build … -o FILE …` by writing FILE, after BUILD has had its say.
_GO = """#!/bin/sh
echo "$@" >>"{log}"
if [ "$1" = env ]; then echo go{version}; exit 0; fi
{build}
while [ "$1" != -o ]; do shift; done
echo built >"$2"
"""


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own tools or cache is seen."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    module = tmp_path / "modules" / "hello"
    module.mkdir(parents=True)
    (module / "go.mod").write_text("module hello\n\ngo 1.24.0\n")
    monkeypatch.setattr(go_build, "MODULES", module.parent)


@pytest.fixture
def executable(tmp_path: Path) -> Callable[[str, str], Path]:
    """Puts an executable with a name and a text on PATH."""

    def put(name: str, text: str) -> Path:
        path = tmp_path / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    return put


@pytest.fixture
def go(tmp_path: Path, executable: Callable[[str, str], Path]) -> Callable[..., Path]:
    """Puts a `go` on PATH and gives the log of its calls."""

    def put(*, version: str = "1.24.0", build: str = "") -> Path:
        log = tmp_path / "go.log"
        executable("go", _GO.format(log=log, version=version, build=build))
        return log

    return put
