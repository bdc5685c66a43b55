"""Tables of fields in docs/, from a model's annotations and docstrings, between ``<!-- fields: MODULE CLASS -->`` (a
module below ``components``) and ``<!-- end -->``.

Fields of Kubernetes' own types are not listed; those of other types are listed once.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

_PART = re.compile(r"(<!-- fields: (\S+) (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_KUBERNETES = ("modelservices.kubernetes.core", "modelservices.kubernetes.pod")
_WORDS = {
    "any": "any",
    "array": "list",
    "object": "mapping",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
}

Schema = Mapping[str, Any]


def with_fields(page: str) -> str:
    """A page of the docs with these tables regenerated."""
    return _PART.sub(lambda match: f"{match[1]}{fields(match[2], match[3])}{match[4]}", page)


def fields(module: str, name: str) -> str:
    """Every field of a model, with its values and meaning."""
    model: type[BaseModel] = getattr(importlib.import_module(f"modelservices.{module}"), name)
    schema = model.model_json_schema()
    return table(["field", "value", "meaning"], _rows(schema, "", {}, schema))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _rows(rule: Mapping[str, Any], path: str, spelled: dict[str, str], schema: Schema) -> Iterator[list[str]]:
    """The rows of a definition's fields. ``spelled`` maps each definition listed so far to its field."""
    for field, value in rule.get("properties", {}).items():
        inner = _inner(value)
        where = f"{path}{field}{'[]' if _is_list(value) else ''}"
        yield [
            f"`{path}{field}`",
            _as_before(inner, spelled, schema) or _value(value, inner),
            value.get("description", ""),
        ]
        if inner and inner not in spelled and inner not in _of_kubernetes():
            spelled[inner] = where
            if not _as_before(inner, {}, schema):
                yield from _rows(schema["$defs"][inner], f"{where}.", spelled, schema)


def _as_before(inner: str | None, spelled: Mapping[str, str], schema: Schema) -> str:
    """A reference to where a definition's fields are already listed, or an empty text."""
    if inner is None:
        return ""
    if inner in spelled:
        return f"as `{spelled[inner]}`"
    own = set(schema["$defs"][inner].get("properties", {}))
    return "fields of the same names as above" if len(own) > 5 and own <= set(schema["properties"]) else ""


def _of_kubernetes() -> frozenset[str]:
    modules = [importlib.import_module(name) for name in _KUBERNETES]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return frozenset(each.__name__ for each in found if each.__module__ in _KUBERNETES)


def _alternatives(rule: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [item for item in rule.get("anyOf", [rule]) if item.get("type") != "null"]


def _is_list(rule: Mapping[str, Any]) -> bool:
    return any(item.get("type") == "array" for item in _alternatives(rule))


def _inner(rule: Mapping[str, Any]) -> str | None:
    """The name of the definition of a field's value, or of its items."""
    for item in _alternatives(rule):
        reference = item.get("items", item).get("$ref")
        if reference:
            return reference.rpartition("/")[2]
    return None


def _value(rule: Mapping[str, Any], inner: str | None) -> str:
    if inner in _of_kubernetes():
        return (
            "a pod of Kubernetes"
            if inner == "PodSpec"
            else f"{'list of ' if _is_list(rule) else ''}Kubernetes' {inner}"
        )
    for item in _alternatives(rule):
        if "enum" in item or "const" in item:
            return ", ".join(f"`{value}`" for value in item.get("enum", [item.get("const")]))
    kinds = [item.get("type", "object" if "$ref" in item else "any") for item in _alternatives(rule)]
    return " or ".join(dict.fromkeys(_WORDS.get(kind, "text") for kind in kinds))
