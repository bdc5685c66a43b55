"""How long a rollout may take: the startup of the slowest server, and a margin for images and models.

Decisions: progress-deadline (docs/decisions).
"""

from collections.abc import Mapping
from typing import Any

from .objects import Object
from .pod_templates import containers_of
from .status import conditions_of, counter
from .values import mapping, value_at

MARGIN_SECONDS = 15 * 60
"""Time beyond the startup probe, for pulling images and downloading a model."""


def startup_seconds(obj: Object) -> int:
    """Seconds that the slowest container of a workload may take to start, from its startup probe; 0 without one."""
    probes = [container.field("startupProbe") for container in containers_of(obj) if not container.init]
    budgets = [
        probe.get("initialDelaySeconds", 0) + probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
        for probe in probes
        if probe
    ]
    return max(budgets, default=0)


def rollout_seconds(obj: Object) -> int:
    """Seconds to wait for a workload."""
    return startup_seconds(obj) + MARGIN_SECONDS


def with_deadline(obj: Object) -> Object:
    """A Deployment with as much time to make progress as its pods may take to start.

    By default it fails after ten minutes, while a large model still loads.
    """
    if obj["kind"] != "Deployment" or "progressDeadlineSeconds" in obj["spec"]:
        return obj
    startup = startup_seconds(obj)
    return {**obj, "spec": {**obj["spec"], "progressDeadlineSeconds": startup + MARGIN_SECONDS}} if startup else obj


def is_rolled_out(live: Mapping[str, Any], *, one_is_enough: bool = False) -> bool:
    """Whether a live workload (with ``kind``) matches its spec: all pods are new, and all (or at least one) are ready.

    False if its status is older than its spec.
    """
    status = mapping(live.get("status"))
    if not _is_current(live, status):
        return False
    if live["kind"] == "RayCluster":
        return status.get("state") == "ready"
    if live["kind"] == "Service":  # Knative's
        return _holds(status, "Ready")
    if live["kind"] == "LeaderWorkerSet" and not _holds(status, "Available"):
        return False
    replicas = value_at(live, "spec", "replicas")
    wanted = replicas if isinstance(replicas, int) else 1
    counts = [counter(status, field) for field in ("replicas", "updatedReplicas", "readyReplicas")]
    if one_is_enough:
        return counts[:2] == [wanted, wanted] and counts[2] > 0
    # With more pods than wanted, old ready ones are counted in place of new ones.
    return counts[0] <= wanted and counts[1] >= wanted and counts[2] >= wanted


def was_rolled_out(live: Mapping[str, Any]) -> bool:
    """Whether all pods of the present spec were ready once. What happens to them later is not part of the rollout."""
    status = mapping(live.get("status"))
    if not _is_current(live, status):
        return False
    conditions = conditions_of(status)
    if live["kind"] == "Deployment":
        return any((c.type, c.reason) == ("Progressing", "NewReplicaSetAvailable") for c in conditions)
    if live["kind"] == "LeaderWorkerSet":
        return any(condition.type == "Available" for condition in conditions)
    if live["kind"] == "RayCluster":
        return bool(value_at(status, "stateTransitionTimes", "ready"))
    return status.get("latestReadyRevisionName") == status.get("latestCreatedRevisionName")


def is_out_of_time(live: Mapping[str, Any]) -> bool:
    """Whether a Deployment reports, for its present spec, that no pod became ready within progressDeadlineSeconds."""
    status = mapping(live.get("status"))
    return _is_current(live, status) and any(
        (condition.type, condition.reason) == ("Progressing", "ProgressDeadlineExceeded")
        for condition in conditions_of(status)
    )


def _is_current(live: Mapping[str, Any], status: Mapping[str, Any]) -> bool:
    generation, observed = value_at(live, "metadata", "generation"), status.get("observedGeneration")
    if observed is None:  # the controller doesn't report which spec it has seen, or has seen none yet
        return bool(status) and live["kind"] != "Deployment"
    return not isinstance(generation, int) or observed >= generation


def _holds(status: Mapping[str, Any], kind: str) -> bool:
    return any((condition.type, condition.status) == (kind, "True") for condition in conditions_of(status))
