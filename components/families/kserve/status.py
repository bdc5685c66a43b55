"""The observed status of a service, from the live status of its workloads.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_status.go at v0.20.0-rc0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...kubernetes.status import Condition, Live, ServiceStatus, counter, failures, ready_replicas, summary

_DEADLINE = "ProgressDeadlineExceeded"


class Observed(NamedTuple):
    """A workload to observe: its condition, its role among the objects, and its desired replicas.

    ``desired`` is None if an autoscaler decides. ``serves`` is false for helpers of the model servers: a helper is
    ready with one pod, as only one of a scheduler's pods is active.
    """

    condition: str
    role: str
    desired: int | None
    serves: bool


def observe(workloads: Sequence[Observed], endpoint: str, live: Live) -> ServiceStatus:
    """Ready if all workloads are; otherwise the Ready condition repeats the first one that is not."""
    conditions = [_condition(workload, live.get(workload.role, {})) for workload in workloads]
    missing = [condition for condition in conditions if condition.status != "True"]
    failed = any(condition.reason == _DEADLINE for condition in missing)
    servers = [workload for workload in workloads if workload.serves]
    return ServiceStatus(
        phase="Failed" if failed else "Progressing" if missing else "Ready",
        endpoint=endpoint,
        ready=sum(ready_replicas(live.get(workload.role, {})) for workload in servers),
        desired=sum(_desired(workload, live.get(workload.role, {})) for workload in servers),
        conditions=(summary(conditions, "WorkloadsReady"), *conditions),
    )


def stopped(live: Live) -> ServiceStatus:
    """Status of a service with the stop annotation, which has no objects."""
    return ServiceStatus(
        "Stopped", conditions=(Condition("Ready", "False", "Stopped", "the LLMInferenceService is stopped"),)
    )


def _desired(workload: Observed, status: Mapping[str, Any]) -> int:
    return workload.desired if workload.desired is not None else counter(status, "replicas")


def _condition(workload: Observed, status: Mapping[str, Any]) -> Condition:
    ready, desired = ready_replicas(status), _desired(workload, status)
    needed = desired if workload.serves else min(desired, 1)
    stuck = next((failure.message for failure in failures(status) if failure.reason == _DEADLINE), "")
    if stuck:
        return Condition(workload.condition, "False", _DEADLINE, stuck)
    if ready < needed or (needed and not status):
        return Condition(workload.condition, "False", "MinimumReplicasUnavailable", f"{ready} of {needed} are ready")
    return Condition(workload.condition, "True", "MinimumReplicasAvailable", f"{ready} of {desired} are ready")
