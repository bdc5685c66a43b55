"""JSON Schema of models, with the docstrings of fields as their descriptions.

The docstrings are read when a schema is asked for: pydantic would parse the sources at every import.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from .model import Spec


class DescribedSchema(GenerateJsonSchema):
    """pydantic's generator, with descriptions."""

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        result = super().model_schema(schema)
        model, properties = schema["cls"], result.get("properties", {})
        for field, text in descriptions(model).items():
            name = model.model_fields[field].alias or field if field in model.model_fields else field
            if name in properties:
                properties[name]["description"] = text
        return result


@cache
def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The docstring of each field that a model of ours, or a base of it, describes."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, Spec) and owner is not Spec:
            found |= _docstrings(owner)
    return found


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    except OSError:  # made by a call (the settings of all families), so nothing is written at its fields
        return {}
    assert isinstance(tree, ast.ClassDef)
    return {
        statement.target.id: inspect.cleandoc(text.value.value)
        for statement, text in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
