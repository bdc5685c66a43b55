"""Observed status of a ModelService and of an endpoint picker, from the live status of their Deployments.

Each role counts by itself: a surplus of decode pods never hides a lack of prefill pods, and a service without endpoint
picker takes no requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...kubernetes.status import Condition, Live, ServiceStatus, failures, ready_replicas

READY = "Ready"
PICKER = "endpointPicker"


class Watched(NamedTuple):
    """A Deployment that counts: its role in the status (decode, …), in the rendering, and the pods it should have."""

    role: str
    deployment: str
    desired: int


class Observed(NamedTuple):
    """What is there of one role."""

    role: str
    desired: int
    ready: int
    exists: bool
    failure: Condition | None

    @property
    def serving(self) -> int:
        """Ready pods that count: no more than are wanted."""
        return min(self.ready, self.desired)

    @property
    def is_ready(self) -> bool:
        """A picker is ready with one pod, because only the leader of several takes requests."""
        return self.exists and self.serving >= (min(self.desired, 1) if self.role == PICKER else self.desired)


def observe(watched: Sequence[Watched], endpoint: str, live: Live) -> ServiceStatus:
    """Status of a ModelService: ``watched`` has decode first, then prefill if there is one, then the picker."""
    roles = [_observed(item, live) for item in watched]
    phase, ready = _summary(roles)
    serving = [role for role in roles if role.role != PICKER]
    return ServiceStatus(
        phase=phase,
        endpoint=endpoint,
        ready=sum(role.serving for role in serving),
        desired=sum(role.desired for role in serving),
        conditions=(ready, *map(_role_condition, roles)),
        details=_counters(roles),
    )


def observe_picker(replicas: int, live: Live) -> ServiceStatus:
    """Status of an endpoint picker by itself."""
    role = _observed(Watched(PICKER, "deployment", replicas), live)
    condition = replace(_role_condition(role), type=READY)
    phase = "Ready" if role.is_ready else "Running" if role.exists else "Pending"
    return ServiceStatus(phase=phase, ready=role.serving, desired=role.desired, conditions=(condition,))


def _observed(watched: Watched, live: Live) -> Observed:
    status = live.get(watched.deployment)
    ready, failure = ready_replicas(status or {}), _failure(status or {})
    return Observed(watched.role, watched.desired, ready, status is not None, failure)


def _failure(status: Mapping[str, Any]) -> Condition | None:
    """The Deployment's own word that it can't make pods: a quota, an admission that refuses them."""
    found = [failure for failure in failures(status) if failure.type == "ReplicaFailure"]
    return Condition(READY, "False", found[0].reason or found[0].type, found[0].message) if found else None


def _summary(roles: Sequence[Observed]) -> tuple[str, Condition]:
    """Phase and Ready condition: the first rule that fits."""
    return next(_rules(roles))


def _rules(roles: Sequence[Observed]) -> Iterator[tuple[str, Condition]]:
    serving = [role for role in roles if role.role != PICKER]
    ready, desired = sum(role.serving for role in serving), sum(role.desired for role in serving)
    if not serving[0].exists:
        yield "Pending", _not_ready("DeploymentNotFound", "Decode Deployment has not been created yet")
    for role in roles:
        if role.failure and not role.is_ready:
            yield "Running", role.failure
    if ready == 0 and desired > 0:
        yield "Running", _not_ready("PodsStarting", "Waiting for serving pods to become ready")
    if ready < desired:
        yield "Running", _not_ready("PartiallyReady", f"{ready}/{desired} replicas ready")
    if not all(role.is_ready for role in roles):
        yield "Running", _not_ready("EndpointPickerNotReady", "Waiting for the endpoint picker to become ready")
    yield "Ready", Condition(READY, "True", "AllReplicasReady", f"All {ready} replicas are ready")


def _not_ready(reason: str, message: str) -> Condition:
    return Condition(READY, "False", reason, message)


def _role_condition(role: Observed) -> Condition:
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


_COUNTERS = ("decodeReady", "decodeReplicas", "prefillReady", "prefillReplicas")


def _counters(roles: Sequence[Observed]) -> dict[str, int]:
    """``decodeReady``, ``decodeReplicas`` and so on, as counted; zeros for a role that the service has not."""
    counters: dict[str, int] = dict.fromkeys(_COUNTERS, 0)
    for role in roles:
        counters |= {f"{role.role}Ready": role.ready, f"{role.role}Replicas": role.desired}
    return counters
