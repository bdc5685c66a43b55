"""The models as language-independent shapes for the generators: texts, lists, maps and other models.

A model belongs to a module: ``kubernetes``, its family's folder, or ``index`` for the components' arguments.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from modelservices.kubernetes.descriptions import descriptions
from modelservices.kubernetes.scalars import ArgumentType, Later, Scalar

INDEX = "index"
_SCALARS: Mapping[Any, Scalar] = {str: "text", int: "integer", float: "number", bool: "boolean", Any: "any"}


@dataclass(frozen=True)
class Shape:
    """A type: a scalar, an enum of texts (``choices``), a ``model``, or a list or map of ``of``. ``passed`` means that
    an Output is allowed."""

    scalar: Scalar | None = None
    choices: tuple[str, ...] = ()
    model: type[BaseModel] | None = None
    container: Literal["list", "map"] | None = None
    of: Shape | None = None
    passed: bool = False


@dataclass(frozen=True)
class Property:
    """A field of a model, with its YAML key. ``default`` is None unless it is a single value."""

    key: str
    shape: Shape
    required: bool
    description: str
    default: str | int | float | bool | None


def shape(annotation: Any, metadata: tuple[Any, ...] = ()) -> Shape:
    """The shape of a field's annotation."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return shape(arguments[0], (*arguments[1:], *metadata))
    if origin in (typing.Union, types.UnionType):
        (only,) = (argument for argument in arguments if argument is not type(None))
        return shape(only, metadata)
    if origin is Literal:
        return Shape(choices=tuple(str(choice) for choice in arguments))
    if origin is dict:
        return Shape(container="map", of=shape(arguments[1]))
    if origin in (list, tuple):
        return Shape(container="list", of=shape(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Shape(model=annotation)
    return _scalar(annotation, metadata)


def _scalar(annotation: Any, metadata: tuple[Any, ...]) -> Shape:
    given = next((item for item in metadata if isinstance(item, ArgumentType)), None)
    if given:
        return Shape(scalar=given.scalar, passed=given.output)
    scalar = _SCALARS[annotation]
    return Shape(scalar=scalar, passed=scalar == "any" or any(isinstance(item, Later) for item in metadata))


def properties(model: type[BaseModel]) -> Iterator[Property]:
    """The fields that a program may set."""
    hints, texts = typing.get_type_hints(model, include_extras=True), descriptions(model)
    for name, field in model.model_fields.items():
        if field.exclude:
            continue
        text = " ".join((texts.get(name) or field.description or "").split())
        found = shape(hints[name])
        yield Property(field.alias or name, found, field.is_required(), text, _default(field))


def _default(field: FieldInfo) -> str | int | float | bool | None:
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    return value if isinstance(value, str | int | float) and value != "" else None


def described(prop: Property) -> str:
    """The description followed by the default."""
    if prop.default is None:
        return prop.description
    shown = prop.default if isinstance(prop.default, str) else json.dumps(prop.default)
    return f"{prop.description} Default: `{shown}`."


def models(roots: Iterable[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models and all models that they refer to, each once, sorted by module and name."""
    found: dict[type[BaseModel], None] = {}
    waiting = list(roots)
    while waiting:
        model = waiting.pop()
        if model not in found:
            found[model] = None
            waiting += [part for prop in properties(model) for part in _parts(prop.shape)]
    return sorted(found, key=lambda model: (module_of(model), model.__name__))


def _parts(found: Shape) -> Iterator[type[BaseModel]]:
    if found.model:
        yield found.model
    if found.of:
        yield from _parts(found.of)


def module_of(model: type[BaseModel]) -> str:
    """``kubernetes``, the family's folder, or ``index``."""
    _, folder, *rest = model.__module__.split(".")
    if folder == "families":
        return rest[0]
    return {"kubernetes": "kubernetes", "ome_keys": "ome"}.get(folder, INDEX)


def sentence(model: type) -> str:
    """The class's own docstring as one paragraph, or otherwise a sentence with its name."""
    own = model.__dict__.get("__doc__")
    return " ".join(own.split()) if own else f"{model.__name__}, as in its YAML."
