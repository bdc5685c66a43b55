"""Fields of an object by their name, wherever they stand: what reaches the node is recognized in any kind.

Pods of a kind that nobody here has heard of, a single container of a custom resource and a PersistentVolume all spell
``hostPath`` or ``privileged`` as Kubernetes does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.values import field_path

_NOT_WALKED = frozenset(["apiVersion", "kind", "metadata", "status", "data", "binaryData"])
"""Fields at the top of an object that start nothing."""
_SCHEMAS = "CustomResourceDefinition"
"""A kind whose fields only describe those of other objects."""


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
    """Whether a flag is set, also where a custom resource has it as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
