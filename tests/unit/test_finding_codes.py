"""Every code of a finding is in one registry, which docs/serving.md shows. Not proved: that its sentences are right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tools.finding_codes import codes

REPOSITORY = Path(__file__).parents[2]
PLACES = {"Problem": 3, "Finding": 5, "Said": 2, "_problem": 4}
"""Calls whose argument at a place is a code."""
SEVERITIES = ("error", "warning", "info")


def _modules() -> Iterator[ast.Module]:
    for folder in ("components", "policy"):
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            if "args" not in file.relative_to(REPOSITORY).parts:
                yield ast.parse(file.read_text())


def _constants(node: ast.AST | None) -> Iterator[str]:
    """The texts that an expression may be: of a text itself, or of both sides of a condition."""
    if isinstance(node, ast.IfExp):
        yield from (*_constants(node.body), *_constants(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _of_call(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    place = PLACES.get(name)
    if place is not None and len(call.args) > place:
        yield from _constants(call.args[place])
    for keyword in call.keywords:
        if keyword.arg == "code":
            yield from _constants(keyword.value)
    for before, after in pairwise(call.args):
        if isinstance(before, ast.Constant) and before.value in SEVERITIES:
            yield from _constants(after)


def _used(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("code", "_CODE", "_NOT_SEEN"):
            yield from _constants(node.value)


def test_a_code_that_is_used_is_in_the_registry() -> None:
    used = {"invalid", *(code for module in _modules() for code in _used(module))}
    assert len(used) > 150
    assert sorted(used - codes().keys()) == []


def test_a_code_in_the_registry_is_used() -> None:
    texts = {node.value for module in _modules() for node in ast.walk(module) if isinstance(node, ast.Constant)}
    assert sorted(codes().keys() - texts) == []


def test_a_row_is_complete() -> None:
    for code, row in codes().items():
        assert set(row.severity.split(" or ")) <= set(SEVERITIES), code
        assert (REPOSITORY / "docs" / row.page).is_file(), code
        begins = row.sentence.startswith(("`", "$", "llama")) or row.sentence[0].isupper()
        assert begins and row.sentence.endswith("."), code
