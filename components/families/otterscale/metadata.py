"""What all objects of the family have in common: metadata, and the security context of their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.values import without_empty


def metadata(name: str, namespace: str, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata of a rendered object; a cluster-scoped one has no namespace."""
    return without_empty({"name": name, "namespace": namespace, "labels": dict(labels)})


def pod_security() -> dict[str, Any]:
    return {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
