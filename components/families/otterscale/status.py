"""Observed status of a ModelService, from the live status of its Deployments.

Each role is counted separately: surplus decode pods never hide missing prefill pods, and a service without an endpoint
picker takes no requests.

Mirrors otterscale/model-operator internal/modelservice/status.go at v0.9.0-alpha.2.
Decisions: O6 (docs/decisions).
"""

from collections.abc import Iterator, Sequence

from ...kubernetes.endpoint_picker.status import PICKER, READY, Observed, Watched, observed, role_condition
from ...kubernetes.status import Condition, Live, ServiceStatus


def observe(watched: Sequence[Watched], endpoint: str, live: Live) -> ServiceStatus:
    """Status of a ModelService: ``watched`` has decode first, then prefill if there is one, then the picker."""
    roles = [observed(item, live) for item in watched]
    phase, ready = next(_rules(roles))
    serving = [role for role in roles if role.role != PICKER]
    return ServiceStatus(
        phase=phase,
        endpoint=endpoint,
        ready=sum(role.serving for role in serving),
        desired=sum(role.desired for role in serving),
        conditions=(ready, *map(role_condition, roles)),
        details=_counters(roles),
    )


def _rules(roles: Sequence[Observed]) -> Iterator[tuple[str, Condition]]:
    """Phase and Ready condition of each rule that applies; the first one is used."""
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


_COUNTERS = ("decodeReady", "decodeReplicas", "prefillReady", "prefillReplicas")


def _counters(roles: Sequence[Observed]) -> dict[str, int]:
    """Uncapped numbers: ``decodeReady``, ``decodeReplicas`` and so on; zeros for a role that the service does not
    have."""
    counters: dict[str, int] = dict.fromkeys(_COUNTERS, 0)
    for role in roles:
        counters |= {f"{role.role}Ready": role.ready, f"{role.role}Replicas": role.desired}
    return counters
