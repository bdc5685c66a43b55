"""Work grows linearly with an input's size: the work for a megabyte is bounded.

Python's calls are counted, which gives the same number on every machine. Work within a C call is not counted: for that
the large inputs have a limit in seconds that only a blow-up reaches. Not proven here: the seconds of docs/security.md.
"""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest

from .fuzzing.invariants import SECONDS, run
from .growing import INPUTS, LARGE, TEXTS

COUNT = 120


def calls(text: str, file: Path) -> int:
    """The number of calls of Python and C functions while a text is rendered."""
    file.write_text(text)
    profile = cProfile.Profile()
    profile.runcall(run, ["render", str(file)])
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", INPUTS)
def test_four_times_as_many_take_four_times_as_much(name: str, tmp_path: Path) -> None:
    file = tmp_path / "input.yaml"
    calls(INPUTS[name](2), file)
    some, many = (calls(INPUTS[name](count), file) for count in (COUNT, 4 * COUNT))
    assert many < 5 * some, f"{many / some:.1f} times as many calls"


@pytest.mark.parametrize("text", [*TEXTS.values(), *LARGE.values()], ids=[*TEXTS, *LARGE])
def test_a_large_text_is_done_soon(text: str, tmp_path: Path) -> None:
    file = tmp_path / "input.yaml"
    file.write_text(text)
    outcome = run(["render", str(file)])
    assert outcome.code in (0, 1) and outcome.seconds < SECONDS
