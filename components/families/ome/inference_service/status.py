"""The observed status of an InferenceService, from the live workload of each component.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/status/status_reconciler.go at v0.1.5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.status import Condition, Live, ServiceStatus, conditions_of, counter, ready_replicas, summary
from .context import Context


@dataclass(frozen=True)
class Watched:
    """A workload: its role among the rendered objects, its component, and the number of pods it should have.

    ``desired`` is None if an autoscaler sets the number; the live number is used then. ``counts`` is false for kinds
    whose status has no number of pods (Knative Service, RayCluster): they are ready or not.
    """

    role: str
    component: str
    desired: int | None
    counts: bool = True


def observe(watched: Sequence[Watched], endpoint: str, live: Live) -> ServiceStatus:
    """Ready if every component is; surplus pods of one component don't hide missing pods of another."""
    conditions = [_condition(one, live.get(one.role, {})) for one in watched]
    ready = sum(_ready(one, live.get(one.role, {})) for one in watched)
    desired = sum(_desired(one, live.get(one.role, {})) for one in watched)
    overall = summary(conditions, "Ready")
    phase = "Ready" if overall.status == "True" else "Progressing"
    if watched and desired == 0 and phase == "Ready":
        phase = "Stopped"
    return ServiceStatus(phase, endpoint, ready, desired, (overall, *conditions))


def _condition(one: Watched, status: Mapping[str, Any]) -> Condition:
    kind = f"{one.component.capitalize()}Ready"
    for condition in conditions_of(status):
        if (condition.type, condition.status) == ("Ready", "False"):
            return Condition(kind, "False", condition.reason or "NotReady", condition.message)
    ready, desired = _ready(one, status), _desired(one, status)
    if ready >= desired:
        return Condition(kind, "True", "PodsReady", f"{ready}/{desired}")
    return Condition(kind, "False", "PodsNotReady", f"{ready}/{desired} pods of the {one.component} are ready")


def _ready(one: Watched, status: Mapping[str, Any]) -> int:
    if one.counts:
        return ready_replicas(status)
    is_ready = any((condition.type, condition.status) == ("Ready", "True") for condition in conditions_of(status))
    return int(is_ready or status.get("state") == "ready")


def _desired(one: Watched, status: Mapping[str, Any]) -> int:
    if not one.counts:
        return 1
    if one.desired is not None:
        return one.desired
    return counter(status, "replicas") if status else 1


_COUNTING = frozenset(["Deployment", "LeaderWorkerSet"])
_WATCHED = _COUNTING | {"KnativeService", "RayCluster"}


def watched_workloads(context: Context, objects: Mapping[str, Object]) -> Iterator[Watched]:
    """The workloads among a service's objects, by role."""
    for component in context.components.values():
        for role, obj in objects.items():
            knative = obj["apiVersion"].startswith("serving.knative.dev/")
            kind = f"Knative{obj['kind']}" if knative else obj["kind"]
            if role.startswith(f"{component.role}-") and kind in _WATCHED:
                yield Watched(role, component.role, obj["spec"].get("replicas"), counts=kind in _COUNTING)
