"""Reading files: what is none, too large, not text or not there is a finding, and nothing hangs.

Not proved here: folders that can't be read (the tests may run as root, who reads all).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modelservices.findings import Finding
from modelservices.manifests.documents import load
from modelservices.manifests.files import MAX_SIZE, text_of
from modelservices.planning.settings import Settings, max_file_size


def test_the_text_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("\ufeffname: é\r\n".encode())
    assert text_of(file) == "name: é\r\n"
    assert text_of(file, 13) == "name: é\r\n"


def code(found: str | Finding) -> str:
    assert isinstance(found, Finding)
    return found.code


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a" * 101)
    found = text_of(file, 100)
    assert found == Finding(
        str(file),
        "",
        "",
        "is larger than the 100 bytes that settings.maxFileSize allows; split it, or raise the limit",
        code="too-large",
    )
    assert code(text_of(Path("/dev/zero"))) == "unreadable"


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "latin.yaml").write_bytes(b"\xe9")
    codes = {path.name: code(text_of(path)) for path in tmp_path.iterdir()}
    assert codes == {
        "pipe.yaml": "unreadable",
        "loop.yaml": "unreadable",
        "gone.yaml": "not-found",
        "folder.yaml": "unreadable",
        "latin.yaml": "encoding",
    }
    assert sorted((Path(f.file).name, f.code) for f in load([tmp_path])[1]) == [
        ("gone.yaml", "not-found"),
        ("latin.yaml", "encoding"),
        ("loop.yaml", "unreadable"),
        ("pipe.yaml", "unreadable"),
    ]


@pytest.mark.parametrize(("name", "wanted"), [("a" * 5000, "unreadable"), ("\0", "unreadable"), ("x/y", "not-found")])
def test_what_is_no_path(name: str, wanted: str) -> None:
    assert code(text_of(Path(name))) == wanted
    assert [finding.code for finding in load([name])[1]] == [wanted]


def test_what_the_program_was_started_with_is_read() -> None:
    read, write = os.pipe()
    os.write(write, b"a: 1\n")
    os.close(write)
    assert text_of(Path(f"/dev/fd/{read}")) == "a: 1\n"
    os.close(read)


def test_the_limit_is_a_setting(tmp_path: Path) -> None:
    assert MAX_SIZE == max_file_size(Settings.model_validate({})) == 4 * 2**20
    assert max_file_size(Settings.model_validate({"maxFileSize": "1Ki"})) == 1024
    (tmp_path / "a.yaml").write_text(f"# {'a' * 2000}\n")
    assert [finding.code for finding in load([tmp_path], 1024)[1]] == ["too-large"]
