"""What all objects of the family have in common: metadata, and the security context of their pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def metadata(name: str, namespace: str, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata of a rendered object; a cluster-scoped one has no namespace."""
    fields = {"name": name, "namespace": namespace, "labels": dict(labels)}
    return {key: value for key, value in fields.items() if value}


def pod_security() -> dict[str, Any]:
    return {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
