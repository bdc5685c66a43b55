"""Messages are sentences about the thing, not fragments that read as orders. Not proved: that a sentence is true."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PLACES = {"Problem": 1, "Finding": 3, "Said": 1, "overridden": 1}
"""Calls whose argument at a place is a message."""
SUBJECTS = [
    "a",
    "an",
    "the",
    "no",
    "its",
    "only",
    "some",
    "up",
    "there",
    "fine-tuned",
    "additional",
    "claim",
    "data",
    "latency",
    "shared",
    "partitioned",
]
"""What a sentence begins with, other than a verb in the third person (`is`, `has`, `needs`), a name or a value."""
BEGIN = re.compile(rf"(?:must|should|can't|would|{'|'.join(SUBJECTS)}|[a-z]+s)(?=[ ,])|[^a-z ]|[\w.]+[.A-Z/]|[a-z]*$")
"""So `have`, `turn`, `read`, `make` and any other verb without its `s` is no beginning."""
CLUMSY = re.compile(r"\b(?:which counts|is none|mend|there twice|of (?:its|your|their) own|a \w+ of yours)\b")


def is_sentence(message: str) -> bool:
    return bool(BEGIN.match(message)) and not CLUMSY.search(message)


def _texts(node: ast.AST | None, names: Mapping[str, list[ast.AST]]) -> Iterator[str]:
    """The texts that an expression may be, ``{}`` in place of values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left, names)
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body, names), *_texts(node.orelse, names))
    elif isinstance(node, ast.Name):
        for value in names.get(node.id, []):
            yield from _texts(value, {})


def _messages(scope: ast.AST) -> Iterator[str]:
    names: dict[str, list[ast.AST]] = defaultdict(list)
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id].append(node.value)
    for call in ast.walk(scope):
        place = PLACES.get(getattr(call.func, "id", "")) if isinstance(call, ast.Call) else None
        if place is not None and len(call.args) > place:
            yield from _texts(call.args[place], names)


def messages() -> Iterator[tuple[str, str]]:
    """Each message with its module."""
    for folder in ("components", "policy"):
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            for scope in ast.walk(ast.parse(file.read_text())):
                if isinstance(scope, ast.FunctionDef):
                    yield from ((str(file.relative_to(REPOSITORY)), message) for message in _messages(scope))


def test_messages_are_sentences() -> None:
    found = set(messages())
    assert len(found) > 500
    assert sorted((file, message) for file, message in found if not is_sentence(message)) == []


@pytest.mark.parametrize(
    "message",
    [
        "make the server listen on {}, while probes use {}",
        "turn TLS on at the server",
        "share the model among {} GPUs, and {} pods have {}",
        "read {}, where nothing is mounted",
        "have no {}",
        "are left out",
        "serve it when it is Ready",
        "is 0, and a count of its own is needed",
    ],
)
def test_orders_and_fragments_are_none(message: str) -> None:
    assert not is_sentence(message)


@pytest.mark.parametrize("message", ["is required", "the server listens on {}", "{} is listed twice", "--port is {}"])
def test_sentences(message: str) -> None:
    assert is_sentence(message)


def test_no_text_has_a_value_that_nothing_fills_in() -> None:
    """``"remove {flag}"`` without the ``f`` before it."""
    unfilled = [
        (path.name, token.start[0])
        for path in sorted((REPOSITORY / "components").rglob("*.py"))
        for token in tokenize.generate_tokens(path.open(encoding="utf-8").readline)
        if token.type == tokenize.STRING
        and token.string[0] in "\"'"
        and not token.string.startswith('"""')
        and re.search(r"(?<!\$)\{[A-Za-z_]+[\w.\[\]]*\}", token.string)
    ]
    assert unfilled == []
