"""Observed status of an endpoint picker and of the related Deployments, by role."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..status import Condition, Live, ServiceStatus, failures, ready_replicas

READY = "Ready"
PICKER = "endpointPicker"


class Watched(NamedTuple):
    """A Deployment that the status covers. ``role`` is its role in the status (decode, …), ``deployment`` its role in
    the rendering, and ``desired`` the number of pods that it should have."""

    role: str
    deployment: str
    desired: int


class Observed(NamedTuple):
    """Observed state of one role."""

    role: str
    desired: int
    ready: int
    exists: bool
    failure: Condition | None

    @property
    def serving(self) -> int:
        """Ready pods, at most as many as desired."""
        return min(self.ready, self.desired)

    @property
    def is_ready(self) -> bool:
        """Several pickers need only one ready pod, because only the leader takes requests."""
        return self.exists and self.serving >= (min(self.desired, 1) if self.role == PICKER else self.desired)


def observe_picker(replicas: int, live: Live) -> ServiceStatus:
    """Status of a standalone endpoint picker."""
    role = observed(Watched(PICKER, "deployment", replicas), live)
    condition = replace(role_condition(role), type=READY)
    phase = "Ready" if role.is_ready else "Running" if role.exists else "Pending"
    return ServiceStatus(phase=phase, ready=role.serving, desired=role.desired, conditions=(condition,))


def observed(watched: Watched, live: Live) -> Observed:
    status = live.get(watched.deployment)
    ready, failure = ready_replicas(status or {}), _failure(status or {})
    return Observed(watched.role, watched.desired, ready, status is not None, failure)


def _failure(status: Mapping[str, Any]) -> Condition | None:
    """Why the Deployment can't create pods, such as a quota or an admission check that rejects them."""
    refusals = [failure for failure in failures(status) if failure.type == "ReplicaFailure"]
    return Condition(READY, "False", refusals[0].reason or refusals[0].type, refusals[0].message) if refusals else None


def role_condition(role: Observed) -> Condition:
    """``DecodeReady``, ``PrefillReady``, ``EndpointPickerReady``."""
    kind = f"{role.role[0].upper()}{role.role[1:]}Ready"
    count = f"{role.ready}/{role.desired} replicas ready"
    if not role.exists:
        return Condition(kind, "False", "DeploymentNotFound", "The Deployment has not been created yet")
    if role.is_ready:
        return Condition(kind, "True", "AllReplicasReady", count)
    if role.failure:
        return Condition(kind, "False", role.failure.reason, role.failure.message)
    return Condition(kind, "False", "PartiallyReady" if role.ready else "PodsStarting", count)
