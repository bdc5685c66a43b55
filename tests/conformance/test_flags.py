"""Each rendered flag is one that its program's release parses, except flags from the manifest's author.

Covers all reference cases, stacks and examples; the families' property tests cover random specs. Not proven here: that
the tables match what the programs parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from modelservices.engines.command_line import flags_of
from modelservices.engines.companions import COMPANIONS
from modelservices.engines.known import ENGINES
from modelservices.engines.releases import Program, program
from modelservices.engines.tool import Tool
from modelservices.engines.vllm import VLLM, serving

from ..rendered_flags import unknown_flags
from .reference import plan_case

REPOSITORY = Path(__file__).parents[2]
STACKS = sorted(path for path in (REPOSITORY / "stacks").iterdir() if path.is_dir())
CASES = sorted((REPOSITORY / "tests/conformance").glob("*/cases/**/input*.yaml"))
EXAMPLES = sorted((REPOSITORY / "examples").glob("**/*.yaml"))


def objects_of(*paths: Path) -> Iterator[Mapping[str, Any]]:
    for service in plan_case(paths).services:
        yield from service.all_objects()


def test_reference_cases() -> None:
    assert len(CASES) > 150
    found = {str(case): set(unknown_flags(objects_of(case), case.read_text())) for case in CASES}
    assert {case: flags for case, flags in found.items() if flags} == {}


@pytest.mark.parametrize("stack", STACKS, ids=lambda path: path.name)
def test_stacks(stack: Path) -> None:
    paths = sorted(stack.glob("*.yaml"))
    assert set(unknown_flags(objects_of(*paths), "".join(path.read_text() for path in paths))) == set()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples(example: Path) -> None:
    text = example.read_text()
    if re.search(r"(?m)^kind: ", text):
        assert set(unknown_flags(objects_of(example), text)) == set()


def newest(tool: Tool) -> Program:
    return program(tool.table)


@pytest.mark.parametrize(
    ("since", "words"),
    [
        *[item for item in serving.quiet_log() if item[0]],
        serving.shutdown(5),
        serving.kv_transfer("{}"),
    ],
)
def test_what_a_start_script_adds_by_release_is_there_from_that_release_on(since: str, words: tuple[str, ...]) -> None:
    table = newest(VLLM)
    later = [release for release in table.releases if _number(release) >= _number(since)]
    assert later
    for release in later:
        assert all(fact for _, _, fact in flags_of(words, VLLM, table.release(release)))


def _number(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


@pytest.mark.parametrize("tool", [*ENGINES, *COMPANIONS], ids=lambda tool: tool.table)
def test_every_table_says_where_it_was_read(tool: Tool) -> None:
    lines = (REPOSITORY / f"components/engines/releases/{tool.table}.tsv").read_text().splitlines()
    sources = [line.split("\t")[2] for line in lines if line.startswith("release")]
    assert sources and all(sources)
