"""Building once, completely or not at all. A stub stands in for Go: that the real modules build is not proven here."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.tools.conftest import HELLO
from tools import cache, go_build
from tools.go_command import ToolchainError, needed_version, numbers

Go = Callable[..., Path]


def _silent(line: str) -> None:
    pass


def _builds(log: Path) -> int:
    return log.read_text().count("build -trimpath")


def test_builds_once_and_says_so(go: Go) -> None:
    log = go()
    lines: list[str] = []

    folder = go_build.build(HELLO, lines.append)
    again = go_build.build(HELLO, lines.append)

    assert folder == again
    assert [file.name for file in folder.iterdir()] == ["hello"]
    assert _builds(log) == 1
    assert lines == ["building hello 1.0 …", "built hello 1.0 in 0 s"]


def test_what_is_built_is_used_without_go(go: Go, tmp_path: Path) -> None:
    go()
    folder = go_build.build(HELLO, _silent)
    (tmp_path / "bin" / "go").unlink()

    assert go_build.build(HELLO, _silent) == folder


def test_module_change_builds_anew(go: Go, tmp_path: Path) -> None:
    log = go()
    before = go_build.build(HELLO, _silent)
    (tmp_path / "modules" / "hello" / "go.sum").write_text("changed")

    assert go_build.build(HELLO, _silent) != before
    assert _builds(log) == 2


def test_newer_go_does_not_build_anew(go: Go) -> None:
    log = go()
    go_build.build(HELLO, _silent)
    go(version="1.30.0")
    go_build.build(HELLO, _silent)

    assert _builds(log) == 1


def test_failing_build_shows_the_end_of_the_output_and_leaves_nothing(go: Go) -> None:
    go(build='echo "main.go:7: undefined: x" >&2; exit 1')

    with pytest.raises(ToolchainError, match=r"main\.go:7: undefined: x"):
        go_build.build(HELLO, _silent)

    assert [entry.name for entry in cache.folder().iterdir()] == ["locks"]


def test_rest_of_a_killed_build_is_replaced(go: Go) -> None:
    go()
    rest = go_build.built_folder(HELLO)
    rest = rest.with_name(f"{rest.name}.unfinished")
    rest.mkdir(parents=True)
    (rest / "half").touch()

    assert [file.name for file in go_build.build(HELLO, _silent).iterdir()] == ["hello"]
    assert not rest.exists()


def test_two_builders_at_once_build_once(go: Go) -> None:
    log = go(build="sleep 0.3")
    folders: list[Path] = []
    builders = [threading.Thread(target=lambda: folders.append(go_build.build(HELLO, _silent))) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()

    assert folders[0] == folders[1]
    assert _builds(log) == 1


def test_go_that_is_too_old_is_refused_in_one_sentence(go: Go) -> None:
    log = go(version="1.23.4")

    with pytest.raises(ToolchainError) as error:
        go_build.build(HELLO, _silent)

    assert str(error.value) == (
        "Go 1.24.0 is needed to build hello, but `go` is go1.23.4: install Go 1.24.0 or newer, or put hello on PATH."
    )
    assert _builds(log) == 0


def test_missing_go_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    with pytest.raises(ToolchainError, match="there is no `go` on PATH: install Go"):
        go_build.build(HELLO, _silent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("go1.26.8", (1, 26, 8)), ("Kubernetes v1.36.2", (1, 36, 2)), ("etcd Version: 3.4.30\nGit", (3, 4, 30)), ("", ())],
)
def test_numbers_of_a_version(text: str, expected: tuple[int, ...]) -> None:
    assert numbers(text) == expected


def test_needed_version_is_the_modules(tmp_path: Path) -> None:
    assert needed_version(tmp_path / "modules" / "hello") == "1.24.0"
