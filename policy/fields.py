"""Finds fields of an object by name, at any depth, so that access to the node is recognized in any kind.

Pods of an unknown kind, a single container of a custom resource and a PersistentVolume all spell ``hostPath`` or
``privileged`` as Kubernetes does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.values import field_path

_NOT_WALKED = frozenset(["apiVersion", "kind", "metadata", "status", "data", "binaryData"])
"""Top-level fields that start nothing."""
_SCHEMAS = "CustomResourceDefinition"
"""The kind whose fields only describe those of other objects."""


def fields(obj: Object, *names: str) -> Iterator[tuple[str, Any]]:
    """Path and value of every field that has one of the names."""
    if obj["kind"] != _SCHEMAS:
        for field, value in obj.items():
            if field not in _NOT_WALKED:
                yield from _named(value, field, names)


def _named(value: Any, path: str, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for field, item in value.items():
            inner = field_path(path, field)
            if field in names:
                yield inner, item
            yield from _named(item, inner, names)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _named(item, f"{path}[{index}]", names)


def is_on(value: Any) -> bool:
    """Whether a flag is set, including one that a custom resource has as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
