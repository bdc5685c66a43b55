"""Generates ``component_provider/schema.json``: the plugin's schema, from which the SDKs of all other languages are
generated.

A value that decides what is rendered is ``plain``; a value that is only passed on may be an Output. Defaults are part
of the description: each SDK would send a ``default`` of the schema, so omitted values would look as if the user had set
them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import BaseModel

from modelservices.kubernetes.descriptions import descriptions
from modelservices.kubernetes.keys import camel_case
from modelservices.registration.component import Condition, ServiceComponent
from tools.component_types.shapes import INDEX, Property, Shape, described, module_of, properties, sentence

TARGET = Path("component_provider/schema.json")
PACKAGE = "modelservices"
LANGUAGES = ("nodejs", "python", "csharp", "java", "go")
_ANY = {"$ref": "pulumi.json#/Any"}
_SCALARS: Mapping[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "int or text": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
    "any": _ANY,
}


def schema(components: Iterable[type[ServiceComponent]], models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """The schema of the package with these components; ``models`` are the types of their arguments."""
    arguments = {component.ARGUMENTS for component in components}
    types: dict[str, Any] = {f"{PACKAGE}:{INDEX}:Condition": _condition()}
    for model in models:
        if model not in arguments:
            types[_token(model)] = _object(model)
            types |= _enums(model)
    return {
        "name": PACKAGE,
        "displayName": PACKAGE,
        "version": tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"],
        "language": {language: {"respectSchemaVersion": True} for language in LANGUAGES},
        "resources": {f"{PACKAGE}:{INDEX}:{component.__name__}": _resource(component) for component in components},
        "types": dict(sorted(types.items())),
    }


def _resource(component: type[ServiceComponent]) -> dict[str, Any]:
    inputs = _object(component.ARGUMENTS)
    texts = descriptions(ServiceComponent)
    outputs = {
        "phase": {"type": "string"},
        "endpoint": {"type": "string"},
        "readyReplicas": {"type": "integer"},
        "desiredReplicas": {"type": "integer"},
        "conditions": {"type": "array", "items": {"$ref": f"#/types/{PACKAGE}:{INDEX}:Condition"}},
        "details": {"type": "object", "additionalProperties": _ANY},
    }
    return {
        "isComponent": True,
        "description": sentence(component),
        "inputProperties": inputs["properties"],
        "requiredInputs": inputs["required"],
        "properties": {name: {**body, "description": _line(texts[name])} for name, body in outputs.items()},
        "required": list(outputs),
    }


def _condition() -> dict[str, Any]:
    texts = descriptions(Condition)
    fields = {name: {"type": "string", "description": _line(texts[name])} for name in get_type_hints(Condition)}
    return {
        "type": "object",
        "description": sentence(Condition),
        "properties": fields,
        "required": list(fields),
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _object(model: type[BaseModel]) -> dict[str, Any]:
    own = list(properties(model))
    return {
        "type": "object",
        "description": sentence(model),
        "properties": {camel_case(prop.key): _property(model, prop) for prop in own},
        "required": [camel_case(prop.key) for prop in own if prop.required],
    }


def _property(model: type[BaseModel], prop: Property) -> dict[str, Any]:
    return {**_type(model, prop.key, prop.shape), "description": described(prop) or f"{prop.key}, as in its YAML."}


def _type(model: type[BaseModel], key: str, found: Shape) -> dict[str, Any]:
    plain = {} if found.passed else {"plain": True}
    if found.choices:
        return {"$ref": f"#/types/{_enum_token(model, key)}", **plain}
    if found.container and found.of:
        inner = _type(model, key, found.of)
        if found.container == "list":
            return {"type": "array", "items": inner, **plain}
        return {"type": "object", "additionalProperties": inner, **plain}
    if found.model:
        return {"$ref": f"#/types/{_token(found.model)}", **plain}
    assert found.scalar
    return {**_SCALARS[found.scalar], **plain}


def _token(model: type[BaseModel]) -> str:
    return f"{PACKAGE}:{_module(model)}:{model.__name__}"


def _module(model: type[BaseModel]) -> str:
    """A module's name in camel case: ``inferenceExtension``."""
    head, *rest = module_of(model).split("_")
    return head + "".join(word.capitalize() for word in rest)


def _enum_token(model: type[BaseModel], key: str) -> str:
    return f"{_token(model)}{key[0].upper()}{key[1:]}"


def _enums(model: type[BaseModel]) -> dict[str, Any]:
    return {
        _enum_token(model, prop.key): {
            "type": "string",
            "description": described(prop) or f"{prop.key} of {model.__name__}.",
            "enum": [{"name": _enum_name(choice), "value": choice} for choice in choices],
        }
        for prop in properties(model)
        if (choices := _choices(prop.shape))
    }


def _choices(found: Shape) -> tuple[str, ...]:
    return _choices(found.of) if found.of else found.choices


def _enum_name(choice: str) -> str:
    """A choice as an identifier: ``draft-simple`` becomes ``DraftSimple``."""
    words = re.split(r"[^A-Za-z0-9]+", choice)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return f"Value{name}" if not name or name[0].isdigit() else name
