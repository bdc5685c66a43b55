"""Descriptions of model fields: their docstrings, read from the source when a JSON Schema is requested.

Pydantic can read them when it creates a class, but then every run would parse the source of every model.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise


@cache
def descriptions(model: type) -> dict[str, str]:
    """Field to docstring, including inherited fields."""
    docstrings: dict[str, str] = {}
    for declaring in reversed(model.__mro__):
        docstrings |= _in_module(declaring.__module__).get(declaring.__qualname__, {})
    return docstrings


@cache
def _in_module(name: str) -> dict[str, dict[str, str]]:
    """For each class of a module, its fields' docstrings; empty for a module without source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError):
        return {}
    return {path: _docstrings(definition.body) for path, definition in _classes(tree.body)}


def _classes(body: Sequence[ast.stmt], path: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for definition in body:
        if isinstance(definition, ast.ClassDef):
            yield f"{path}{definition.name}", definition
            yield from _classes(definition.body, f"{path}{definition.name}.")


def _docstrings(body: Sequence[ast.stmt]) -> dict[str, str]:
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
