"""Whether an operator still reconciles: what it would put back must not be taken over while it runs.

An operator is known by the API group of the custom resource that owns an object. It has stopped when its CRD is gone,
or when nothing that runs its controller has pods.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.values import mappings, value_at
from .connection import Cluster

CONTROLLERS: Mapping[str, re.Pattern[str]] = {
    "inference.llmkube.dev": re.compile(r"llmkube"),
    "model.otterscale.io": re.compile(r"otterscale|model-operator|modelservice"),
    "serving.kserve.io": re.compile(r"kserve|llmisvc"),
    "ome.io": re.compile(r"(^|[-/])ome([-/:]|$)"),
}
"""API group to what names and images of its controller have; for another group it is the group's first part."""

_ROLE = re.compile(r"controller|operator|manager")
_WORKLOADS = ("/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets")


def running_controllers(api_version: str, cluster: Cluster) -> list[str]:
    """The workloads that run the controller of an API group, as ``Deployment namespace/name``; empty when it stopped.

    Raises ClusterError when that can't be seen.
    """
    group = api_version.partition("/")[0]
    pattern = CONTROLLERS.get(group) or re.compile(re.escape(group.partition(".")[0]))
    found: list[str] = []
    for path in _WORKLOADS:
        kind = "Deployment" if path.endswith("deployments") else "StatefulSet"
        items = (cluster.get(path) or {}).get("items") or []
        found += [f"{kind} {_place(item)}" for item in items if _runs(item) and _is_controller(item, pattern)]
    return found


def _place(item: Mapping[str, Any]) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def _runs(item: Mapping[str, Any]) -> bool:
    """Scaled to zero is not enough: its last pods must be gone, too."""
    return bool(item["spec"].get("replicas", 1) or item.get("status", {}).get("replicas", 0))


def _is_controller(item: Mapping[str, Any], pattern: re.Pattern[str]) -> bool:
    """Controllers have a name like ``llmkube-controller-manager``, or an image like ``…/llmkube-controller:1``.

    A workload that is owned (by a custom resource) is what a controller made, not a controller.
    """
    if item["metadata"].get("ownerReferences"):
        return False
    return any(pattern.search(text) and _ROLE.search(text) for text in _texts(item))


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    yield item["metadata"]["name"]
    for container in mappings(value_at(item, "spec", "template", "spec", "containers")):
        yield container.get("image", "").rpartition("@")[0] or container.get("image", "")
