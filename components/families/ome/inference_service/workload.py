"""What the workloads of all kinds have in common."""

from collections.abc import Callable
from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.values import without_empty
from .component import Component
from .labels import Identity, metadata_of

TemplateOf = Callable[[str], dict[str, Any]]
"""Gives the pod template of a part: pod, leader, worker, revision or ray-pod."""


def workload(
    identity: Identity, component: Component, api_version: str, kind: str, name: str, target: str, spec: dict[str, Any]
) -> Object:
    metadata = without_empty(metadata_of(identity, component, name, target))
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
