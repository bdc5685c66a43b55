"""The observed status of a job, from its Job, JobSet or TrainJob, and a warning about its deletion."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...findings import Problem
from ...kubernetes.status import Condition, Live, ServiceStatus, conditions_of, counter
from ...kubernetes.values import mappings

PHASES = {"Complete": "Complete", "Completed": "Complete", "Failed": "Failed", "Suspended": "Suspended"}
"""Phase of a job by the condition that is true."""

_GROUPS = ("replicatedJobsStatus", "jobsStatus")
_DETAILS = ("startTime", "completionTime", "succeeded", "failed", "restarts", *_GROUPS)


def observe_job(role: str, sizes: Mapping[str, int], live: Live) -> ServiceStatus:
    """Complete, Failed or Suspended by a condition, otherwise Running or Pending by the pods.

    ``sizes``: how many pods each group of a JobSet has.
    """
    status = live.get(role, {})
    conditions = tuple(conditions_of(status))
    active, ready = (_pods(status, sizes, field) for field in ("active", "ready"))
    details = {field: status[field] for field in _DETAILS if field in status}
    holding = [c for c in conditions if c.status == "True" and c.type in PHASES]
    if holding:
        rest = tuple(c for c in conditions if c is not holding[0])
        return ServiceStatus(PHASES[holding[0].type], "", ready, active, (holding[0], *rest), details)
    phase = "Running" if active else "Pending"
    return ServiceStatus(phase, "", ready, active, (Condition("Complete", "False", phase), *conditions), details)


def _pods(status: Mapping[str, Any], sizes: Mapping[str, int], field: str) -> int:
    """Number of pods. A JobSet's status counts jobs instead, one for each group."""
    groups = next((status[name] for name in _GROUPS if name in status), None)
    if groups is None:
        return counter(status, field)
    return sum(counter(group, field) * sizes.get(str(group.get("name")), 1) for group in mappings(groups))


def runs_again(spec: Mapping[str, Any], settings: str) -> Iterator[Problem]:
    """Warns that a finished job that the cluster deletes is created again by the next refresh."""
    seconds = spec.get("ttlSecondsAfterFinished")
    if seconds is not None:
        message = f"the cluster deletes the finished job after {seconds} s, so the next `up --refresh` runs it again"
        yield Problem(f"{settings}.ttlSecondsAfterFinished", message, "warning", "runs-again")
