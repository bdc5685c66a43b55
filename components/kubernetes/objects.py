"""Kubernetes objects as plain mappings, and their identity in a cluster."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Object = dict[str, Any]
"""A Kubernetes object as a plain mapping, like its YAML."""


class TypedObjectReference(NamedTuple):
    """A reference to an object by API group (empty for the core group), for any version."""

    group: str
    kind: str
    namespace: str
    name: str


class Key(NamedTuple):
    """Identity of an object in a cluster."""

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
