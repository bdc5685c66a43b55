"""docs/serving.md has every warning and note of the families. Not proved: that it says of each what is right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
PAGE = (REPOSITORY / "docs/serving.md").read_text()
FOLDERS = ("engines", "families", "linking", "ome_keys")
CONVERSION = "families/otterscale/chart"
"""What `convert` says of a chart's values, which are no manifest."""


def codes() -> Iterator[tuple[str, str]]:
    """Code of each warning and note, with the module that gives it."""
    for folder in FOLDERS:
        for file in sorted((REPOSITORY / "components" / folder).rglob("*.py")):
            if CONVERSION not in str(file):
                yield from ((code, str(file)) for code in _codes(ast.parse(file.read_text())))


def _codes(module: ast.Module) -> Iterator[str]:
    """The texts after a severity, in the arguments of any call: `Problem(path, message, "warning", "no-home")`."""
    for call in ast.walk(module):
        if isinstance(call, ast.Call):
            texts = [getattr(argument, "value", None) for argument in call.args]
            for severity, code in pairwise(texts):
                if severity in ("warning", "info") and isinstance(code, str):
                    yield code


def test_every_warning_has_its_row() -> None:
    found = set(codes())
    assert len(found) > 80
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`([A-Za-z-]+)`", rows))
    assert sorted({code for code, _ in found} - listed) == []


def test_no_row_is_about_a_code_that_nothing_gives() -> None:
    everything = "\n".join(file.read_text() for file in (REPOSITORY / "components").rglob("*.py"))
    first_cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    listed = [code for cell in first_cells for code in re.findall(r"`([A-Za-z-]+)`", cell)]
    assert [code for code in listed if f'"{code}"' not in everything] == []
