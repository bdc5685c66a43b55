"""The observed status of a job: what its Job, JobSet or TrainJob says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.status import Condition, ServiceStatus

_FINISHED = {"Complete": "Succeeded", "Completed": "Succeeded", "Failed": "Failed", "Suspended": "Suspended"}


def observe_job(role: str, live: Mapping[str, Mapping[str, Any]]) -> ServiceStatus:
    """Succeeded, Failed or Suspended as a condition says it, else Running or Pending by its pods."""
    status = live.get(role, {})
    conditions = tuple(
        Condition(str(c.get("type")), str(c.get("status")), str(c.get("reason", "")), str(c.get("message", "")))
        for c in status.get("conditions", [])
    )
    holding = [c for c in conditions if c.status == "True" and c.type in _FINISHED]
    active, ready = (int(status.get(field) or 0) for field in ("active", "ready"))
    if holding:
        phase = _FINISHED[holding[0].type]
        rest = tuple(c for c in conditions if c is not holding[0])
        return ServiceStatus(phase, "", ready, active, (holding[0], *rest))
    phase = "Running" if active else "Pending"
    return ServiceStatus(phase, "", ready, active, (Condition("Ready", "False", phase), *conditions))
