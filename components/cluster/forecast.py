"""What an update does to pods: each workload of a stack against the live one, before anything changes.

The API server says what a changed workload would be (a dry run of server-side apply), so its defaults and webhooks
count. What is in the cluster as it would be applied costs no request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_templates import containers_of, pods
from ..planning.adopted import template_fields, template_of
from .applied import is_applied
from .connection import Cluster, ClusterError, Refused
from .differences import changed_paths
from .pods import Pods, pods_of

_AT_ONCE = 8
_SHOWN = 3


@dataclass(frozen=True)
class Change:
    """A workload before and after an update; ``before`` is None for a new one. ``refusal``: why it can't be updated."""

    identity: Key
    before: Mapping[str, Any] | None
    after: Mapping[str, Any]
    refusal: str = ""

    @property
    def restarts(self) -> bool:
        return self.before is not None and template_of(self.before) != template_of(self.after)

    @property
    def paths(self) -> list[str]:
        """The fields that change, without annotations that only Pulumi reads."""
        found = changed_paths(self.before, self.after) if self.before else []
        return [path for path in found if not path.startswith("metadata.annotations.pulumi.com/")]


def forecast(objects: Iterable[Object], cluster: Cluster, manager: str) -> list[Change]:
    """The workloads that are new or change. Raises ClusterError when the cluster can't be asked."""
    workloads = {key(obj): obj for obj in objects if template_fields(obj)}
    live = cluster.objects(workloads).objects
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda name: _change(name, workloads[name], live.get(name), cluster, manager), workloads)
        return [change for change in found if change.before is None or change.paths or change.refusal]


def _change(identity: Key, obj: Object, live: Mapping[str, Any] | None, cluster: Cluster, manager: str) -> Change:
    if live is None:
        return Change(identity, None, obj)
    if is_applied(obj, live, manager):
        return Change(identity, live, live)
    try:
        after = {"apiVersion": identity.api_version, "kind": identity.kind, **cluster.apply(obj, manager, dry_run=True)}
    except Refused as refusal:
        return Change(identity, live, live, refusal.reason)
    return Change(identity, live, after)


def sentences(changes: Iterable[Change]) -> Iterator[str]:
    """One line for each workload that is new or changes."""
    for change in changes:
        yield f"{change.identity}: {'; '.join(_parts(change))}"


def _parts(change: Change) -> Iterator[str]:
    if change.refusal:
        yield f"the API server refuses the change: {change.refusal}"
    elif change.before is None:
        yield f"new, {pods_of(change.after)}"
    else:
        yield from _replicas(change.before, change.after)
        yield _pods(change, pods_of(change.before))
        yield from _images(change.before, change.after)
        yield f"changed: {_some(change.paths)}"


def _pods(change: Change, count: Pods) -> str:
    if not change.restarts:
        return "no pod restarts"
    strategy = change.after["spec"].get("strategy") or {}
    gap = ", and no pod serves meanwhile (Recreate)" if strategy.get("type") == "Recreate" and count.count else ""
    return f"{count} {'restarts' if count.count == 1 else 'restart'}{gap}"


def _replicas(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    counts = [obj["spec"].get("replicas") for obj in (before, after)]
    if counts[0] != counts[1]:
        yield f"replicas {counts[0]} → {counts[1]}"


def _images(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    there = {container.path: container.body.get("image") for container in containers_of(dict(before))}
    for container in containers_of(dict(after)):
        old, new = there.get(container.path), container.body.get("image")
        if old and old != new:
            yield f"image {old} → {new}"


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:_SHOWN]) + (f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else "")


def gpus(objects: Iterable[Object], changes: Iterable[Change]) -> tuple[int, int]:
    """The accelerators of a stack's workloads before an update and after it."""
    after = sum(pods_of(obj).gpus for obj in objects)
    grown = sum(pods_of(c.after).gpus - (pods_of(c.before).gpus if c.before else 0) for c in changes)
    return after - grown, after


def unmatched_selectors(changes: Iterable[Change], cluster: Cluster) -> list[str]:
    """A sentence for each workload that starts pods although no node has the labels that they ask for."""
    asking = [(change, pod.spec["nodeSelector"]) for change in changes for pod in _selecting(change)]
    if not asking:
        return []
    try:
        nodes = (cluster.get("/api/v1/nodes") or {}).get("items") or []
    except ClusterError:
        return []  # who may not list nodes is told by the scheduler
    labels = [node["metadata"].get("labels", {}) for node in nodes]
    return [
        f"{change.identity}: no node has the labels {_labels(wanted)} of its nodeSelector: its pods will not start"
        for change, wanted in asking
        if not any(wanted.items() <= found.items() for found in labels)
    ]


def _selecting(change: Change) -> Iterator[Any]:
    if change.before is None or change.restarts:
        yield from (pod for pod in pods(change.after) if pod.spec.get("nodeSelector"))


def _labels(wanted: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(wanted.items()))
