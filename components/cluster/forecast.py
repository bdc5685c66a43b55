"""What an update does to pods: compares each workload of a stack with the live one before anything changes.

The API server computes a changed workload (a dry run of server-side apply), which includes defaults and webhooks.
A workload that is already in the cluster as it would be applied takes no request.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_templates import containers_of, pods
from ..kubernetes.spelling import listed
from ..kubernetes.values import mapping, value_at
from ..planning.adopted import template_fields, template_of
from .applied import is_applied
from .connection import Cluster, Refused
from .differences import PULUMIS_OWN, changed_paths, unmet_paths
from .nodes import Nodes, chooses_nodes, node_labels
from .pods import Pods, pods_of
from .released import after_update

_INVALID = 422
_UPGRADE = ("spec", "upgradeStrategy", "type")
"""Where a RayCluster says whether KubeRay recreates pods whose template changes. By default it does not."""
_AT_ONCE = 8
_SHOWN = 3


class Change(NamedTuple):
    """A workload before and after an update. ``before`` is None for a new one, ``refusal`` says why it can't change.

    ``runs_again``: a job that can't be updated, so it is deleted and created again.
    """

    identity: Key
    before: Mapping[str, Any] | None
    after: Mapping[str, Any]
    refusal: str = ""
    runs_again: bool = False

    @property
    def restarts(self) -> bool:
        return self.before is not None and template_of(self.before) != template_of(self.after)

    @property
    def gpus(self) -> int:
        """The accelerators of its pods after the update."""
        return pods_of(self.after).gpus

    @property
    def surge(self) -> int:
        """The accelerators of a rolling update's first new pods, which start before any old pod stops."""
        pods, strategy = pods_of(self.after), mapping(value_at(self.after, "spec", "strategy"))
        if not self.restarts or self.identity.kind != "Deployment" or strategy.get("type") == "Recreate":
            return 0
        rolling = mapping(strategy.get("rollingUpdate"))
        if _share(rolling.get("maxUnavailable", "25%"), pods.count, math.floor):
            return 0
        new = _share(rolling.get("maxSurge", "25%"), pods.count, math.ceil)
        return new * pods.gpus // max(pods.count, 1)

    @property
    def paths(self) -> list[str]:
        """The fields that change, without annotations that only Pulumi reads."""
        compare = unmet_paths if self.runs_again else changed_paths
        changed = compare(self.after, self.before) if self.before else []
        return [path for path in changed if not path.startswith(PULUMIS_OWN)]


def _share(stated: Any, count: int, rounded: Callable[[float], int]) -> int:
    if isinstance(stated, int):
        return stated
    digits = str(stated).removesuffix("%")
    return rounded(int(digits) * count / 100) if digits.isdigit() else 0


def forecast(objects: Iterable[Object], cluster: Cluster, manager: str) -> list[Change]:
    """The workloads that are new or change. Raises ClusterError when the cluster can't be asked."""
    workloads = {key(obj): obj for obj in objects if template_fields(obj) or obj["kind"] in JOBS}
    live = cluster.objects(workloads).objects
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        changes = pool.map(lambda name: _change(name, workloads[name], live.get(name), cluster, manager), workloads)
        return [change for change in changes if change.before is None or change.paths or change.refusal]


def _change(identity: Key, obj: Object, live: Mapping[str, Any] | None, cluster: Cluster, manager: str) -> Change:
    if live is None:
        return Change(identity, None, obj)
    if identity.kind in JOBS:
        obj = without_release(obj, live)
    if is_applied(obj, live, manager):
        return Change(identity, live, live)
    try:
        after = {"apiVersion": identity.api_version, "kind": identity.kind, **after_update(obj, live, cluster, manager)}
    except Refused as refusal:
        if identity.kind in JOBS and refusal.status == _INVALID:
            return Change(identity, live, obj, runs_again=True)
        return Change(identity, live, live, refusal.reason)
    return Change(identity, live, after, runs_again=is_replaced(live, after))


def sentences(changes: Iterable[Change], nodes: Nodes | None) -> Iterator[str]:
    """One line for each workload that is new or changes."""
    for change in changes:
        yield f"{change.identity}: {'; '.join(_parts(change, nodes))}"


def _parts(change: Change, nodes: Nodes | None) -> Iterator[str]:
    if change.runs_again:
        yield f"deleted and made again, {pods_of(change.after)}: a job can't change, so it runs once more"
    elif change.refusal:
        yield f"the API server refuses the change: {change.refusal}"
        return
    elif change.before is None:
        yield f"new, {pods_of(change.after)}"
    else:
        counts = [obj["spec"].get("replicas") for obj in (change.before, change.after)]
        if counts[0] != counts[1]:
            yield f"replicas {counts[0]} → {counts[1]}"
        yield _pods(change, pods_of(change.before))
    if change.before is not None:
        yield from _images(change.before, change.after)
        yield f"changed: {listed(change.paths, _SHOWN)}"
    if nodes is not None:
        yield from (_nodes(nodes.matching(pod)) for pod in _choosing(change))


def _pods(change: Change, count: Pods) -> str:
    if not change.restarts:
        return "no pod restarts"
    if change.identity.kind == "RayCluster" and value_at(change.after, *_UPGRADE) != "Recreate":
        return f"KubeRay keeps {count} as they are: delete them, and it makes them as they are to be"
    strategy = change.after["spec"].get("strategy") or {}
    gap = ", and no pod serves meanwhile (Recreate)" if strategy.get("type") == "Recreate" and count.count else ""
    return f"{count} {'restarts' if count.count == 1 else 'restart'}{gap}"


def _images(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    there = {container.path: container.body.get("image") for container in containers_of(dict(before))}
    for container in containers_of(dict(after)):
        old, new = there.get(container.path), container.body.get("image")
        if old and old != new:
            yield f"image {old} → {new}"


def _nodes(count: int) -> str:
    return f"{'1 node has' if count == 1 else f'{count} nodes have'} the labels that its pods ask for"


def totals(objects: Iterable[Object], changes: Sequence[Change], nodes: Nodes | None) -> Iterator[str]:
    """The accelerators of a stack's workloads before and after an update, and how many the cluster has free."""
    before, after = gpus(objects, changes)
    if before or after:
        free = "" if nodes is None or nodes.free is None else f"; free in the cluster now: {nodes.free}"
        surge = sum(change.surge for change in changes)
        rolling = f", and {surge} more while new pods start beside the old ones" if surge else ""
        yield f"GPUs of the stack: {before} → {after}{rolling}{free}"


def gpus(objects: Iterable[Object], changes: Iterable[Change]) -> tuple[int, int]:
    """The accelerators of a stack's workloads before and after an update."""
    after = sum(pods_of(obj).gpus for obj in objects)
    grown = sum(change.gpus - (pods_of(change.before).gpus if change.before else 0) for change in changes)
    return after - grown, after


def claims(objects: Iterable[Object], cluster: Cluster) -> Iterator[str]:
    """A line for each claim that an update creates, and one about existing claims. Raises ClusterError."""
    wanted = {key(obj): obj for obj in objects if obj["kind"] == "PersistentVolumeClaim"}
    kept = cluster.metadata(wanted).objects.keys()
    for identity in sorted(wanted.keys() - kept):
        yield f"{identity}: made, {value_at(wanted[identity], 'spec', 'resources', 'requests', 'storage')}"
    if kept:
        yield f"kept with what is in them: {', '.join(map(str, sorted(kept)))}"


def unmatched_selectors(changes: Iterable[Change], nodes: Nodes | None) -> list[str]:
    """A sentence for each workload that starts pods although no node has the labels that they ask for.

    If nodes can't be listed, only the scheduler finds out.
    """
    if nodes is None:
        return []
    return [
        f"{change.identity}: no node has the labels {node_labels(pod)} that its pods ask for: they will not start"
        for change in changes
        for pod in _choosing(change)
        if not nodes.matching(pod)
    ]


def _choosing(change: Change) -> Iterator[Mapping[str, Any]]:
    if change.before is None or change.restarts or change.runs_again:
        yield from (pod.spec for pod in pods(change.after) if chooses_nodes(pod.spec))


JOBS = frozenset(["Job", "JobSet", "TrainJob"])
"""Kinds whose pods run to completion. A job that changes is recreated."""

RELEASE = "ome.io/version"
"""Pod label that changes with every OME release."""

REPLACED_BY: Mapping[str, tuple[str, ...]] = {
    "JobSet": ("spec.replicatedJobs", "spec.network", "spec.successPolicy", "spec.failurePolicy"),
    "TrainJob": ("spec.runtimeRef", "spec.trainer"),
}
"""Kind to the fields that its API server or controller does not let change. Kubernetes itself defines a Job's."""


def is_replaced(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a job is recreated because of a field that the API server itself would let change."""
    paths = [path.split(".") for path in REPLACED_BY.get(str(after.get("kind")), ())]
    return any(value_at(before, *path) != value_at(after, *path) for path in paths)


def without_release(obj: Object, live: Mapping[str, Any]) -> Object:
    """The job with the live job's release label on its pods: a new release alone changes nothing."""
    return {**obj, "spec": _with_release_of(live.get("spec"), obj["spec"])}


def _with_release_of(live: Any, value: Any) -> Any:
    if isinstance(value, Mapping):
        there = live if isinstance(live, Mapping) else {}
        return {
            name: there.get(name, item) if name == RELEASE else _with_release_of(there.get(name), item)
            for name, item in value.items()
        }
    if isinstance(value, list) and isinstance(live, list) and len(live) == len(value):
        return [_with_release_of(old, new) for old, new in zip(live, value, strict=True)]
    return value
