"""Every block in README and docs is parsed, its commands exist, its links lead somewhere; tutorials have no error.

That the tutorials' stacks come up is for tests/integration/test_tutorials.py.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from modelservices.__main__ import COMMANDS, main

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted(
    [
        *(REPOSITORY / "docs").glob("*.md"),
        *(REPOSITORY / "examples").glob("*/README.md"),
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        REPOSITORY / "component_provider/README.md",
    ]
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TUTORIALS = sorted((REPOSITORY / "docs").glob("tutorial-*.md"))


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    yield from BLOCK.findall(page.read_text())


def ids(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_blocks_parse(page: Path):
    for language, text in blocks(page):
        if language == "yaml":
            list(yaml.safe_load_all(text))
        elif language == "json":
            json.loads(text)
        elif language == "python":
            ast.parse(text)
        elif language == "sh":
            done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
        else:
            assert language in ("", "mermaid"), language


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_commands_in_blocks_exist(page: Path):
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    text = "\n".join(text for language, text in blocks(page) if language in ("", "sh"))
    assert set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE)) <= targets
    assert set(re.findall(r"^modelservices ([a-z-]+)", text, re.MULTILINE)) <= COMMANDS.keys()


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path):
    found = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in found if not (page.parent / link).exists()] == []


def test_the_site_builds_without_a_warning(tmp_path: Path):
    command = [Path(sys.executable).with_name("mkdocs"), "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    # The theme's notice about its own future is none of ours.
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "index.html").exists() and (tmp_path / "faq/index.html").exists()


def test_the_index_names_every_page():
    named = set(LINK.findall((REPOSITORY / "docs/index.md").read_text()))
    assert {page.name for page in (REPOSITORY / "docs").glob("*.md")} - named - {"index.md"} == set()


def project_of(page: Path, folder: Path) -> None:
    """A project with the files that a tutorial writes: blocks whose first line names one."""
    shutil.copytree(REPOSITORY / "examples/quickstart", folder)
    shutil.rmtree(folder / "stacks")
    for language, text in blocks(page):
        named = re.match(r"# (\S+\.yaml)\n", text)
        if language == "yaml" and named:
            (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / named[1]).write_text(text)


def test_there_is_a_tutorial_for_each_family():
    from modelservices.families.registry import FAMILIES

    assert {page.stem.removeprefix("tutorial-") for page in TUTORIALS} == {
        family.folder.replace("_", "-") for family in FAMILIES
    }


@pytest.mark.parametrize("page", TUTORIALS, ids=ids)
def test_a_tutorials_stack_has_no_error(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    project_of(page, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    code = main(["validate", "--stack", "dev"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert "warning" not in said, said
