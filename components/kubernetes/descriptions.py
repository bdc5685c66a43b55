"""What a model's fields mean: the docstrings below them, read from the source when somebody asks for a JSON Schema.

Pydantic can read them when a class is made, but then every run would parse every model's source.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from itertools import pairwise


@cache
def descriptions(model: type) -> dict[str, str]:
    """Field to its docstring, also of the classes that the model inherits from."""
    found: dict[str, str] = {}
    for declaring in reversed(model.__mro__):
        found |= _docstrings(declaring)
    return found


def _docstrings(declaring: type) -> dict[str, str]:
    try:
        source = inspect.getsource(declaring)
    except (OSError, TypeError):  # made by a call, or built in
        return {}
    (definition,) = ast.parse(textwrap.dedent(source)).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
