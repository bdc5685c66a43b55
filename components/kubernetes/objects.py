"""Kubernetes objects as plain mappings, and what makes one the same in a cluster."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Object = dict[str, Any]
"""A Kubernetes object as a plain mapping, the way its YAML reads."""


class TypedObjectReference(NamedTuple):
    """An object as others refer to it, by its API group (empty for the core group) whatever the version."""

    group: str
    kind: str
    namespace: str
    name: str


class Key(NamedTuple):
    """What makes an object one and the same in a cluster."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def reference(self) -> TypedObjectReference:
        return TypedObjectReference(self.api_version.rpartition("/")[0], self.kind, self.namespace, self.name)


def key(obj: Mapping[str, Any]) -> Key:
    metadata = obj["metadata"]
    return Key(obj["apiVersion"], obj["kind"], metadata.get("namespace", ""), metadata["name"])
