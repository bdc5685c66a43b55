"""Finds the lines of findings when these are printed, so that reading good manifests costs nothing extra."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from ..findings import Finding
from .documents import Loader
from .files import text_of

_STEP = r'\[(?P<index>\d+)\]|\["(?P<quoted>[^"]*)"\]|\.?(?P<name>[^.\[\]]+)'


def located(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with the line of the field that they name, or else of the nearest field around it.

    A finding without a line, or with a file that no longer exists, stays as it is.
    """
    roots = cache(_roots)
    return [_located(finding, roots) if finding.line and finding.path else finding for finding in findings]


def _located(finding: Finding, roots) -> Finding:
    node = roots(finding.file).get(finding.line)
    line = _line(node, steps(finding.path)) if node else finding.line
    return finding if line == finding.line else replace(finding, line=line)


def steps(path: str) -> list[str | int]:
    """The steps of a path: ``spec.env[0].name`` or, with a quoted key, ``metadata.labels["a.b/c"]``."""
    matches = re.finditer(_STEP, path)
    return [int(step["index"]) if step["index"] else step["quoted"] or step["name"] for step in matches]


def _line(node: yaml.Node, path: list[str | int]) -> int:
    """The line of the deepest step of the path that the document has."""
    line = node.start_mark.line + 1
    for step in path:
        child = _child(node, step)
        if child is None:
            break
        line, node = child
    return line


def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return _entries(node).get(step)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


@lru_cache(maxsize=64)
def _entries(node: yaml.MappingNode) -> dict[Any, tuple[int, yaml.Node]]:
    """Line and value of each key of a mapping; of a repeated key those of the first."""
    pairs = reversed([pair for pair in node.value if isinstance(pair[0], yaml.ScalarNode)])
    return {key.value: (key.start_mark.line + 1, value) for key, value in pairs}


def _roots(file: str) -> dict[int, yaml.Node]:
    """The objects of a file by the line on which they start."""
    text = text_of(Path(file))
    if isinstance(text, Finding):
        return {}
    try:
        documents = list(yaml.compose_all(text, Loader))
    except (yaml.YAMLError, RecursionError):
        return {}
    return {node.start_mark.line + 1: node for document in documents for node in _objects(document)}


def _objects(document: yaml.Node | None) -> Iterator[yaml.Node]:
    """A document, and the items of a list. What starts later on the same line takes precedence."""
    if document is None:
        return
    yield document
    items = _child(document, "items")
    if items and isinstance(items[1], yaml.SequenceNode):
        yield from items[1].value
