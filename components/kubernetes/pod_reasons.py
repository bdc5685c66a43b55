"""Why a pod is not ready, in Kubernetes' own words: from its status, else from the last warning about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from ..findings import brief
from .values import mapping, mappings, value_at

_MESSAGE_LENGTH = 500
_STARTING = frozenset(["ContainerCreating", "PodInitializing"])


class Cause(StrEnum):
    """What kind of trouble it is, which decides how long it may last."""

    UNSCHEDULABLE = "unschedulable"
    """No node takes the pod, or a quota leaves no room for it; nodes may be added, others may go."""
    ERROR = "error"
    """What the kubelet tries again by itself: pulling an image, making a container of a Secret that is missing."""
    CRASH = "crash"
    """A container ends again and again."""
    STARTING = "starting"
    """Nothing that lasts so far: a probe that does not succeed yet, a volume that takes its time."""


class Reason(NamedTuple):
    """Why a pod (or a workload without pods: ``pod`` is empty) is not ready. ``crashes`` counts restarts."""

    cause: Cause
    reason: str
    message: str
    pod: str = ""
    container: str = ""
    crashes: int = 0

    def __str__(self) -> str:
        return ": ".join(part for part in (self.reason, self.message_with_pod) if part)

    @property
    def message_with_pod(self) -> str:
        return ": ".join(part for part in (f"pod {self.pod}" if self.pod else "", self.message) if part)


def is_ready(pod: Mapping[str, Any]) -> bool:
    return _condition(pod, "Ready").get("status") == "True"


def pod_reasons(pod: Mapping[str, Any], warnings: Sequence[Mapping[str, Any]] = ()) -> list[Reason]:
    """Why a pod is not ready, the most telling reason first; empty for one that is, or of which nothing is known.

    ``warnings`` are the events of type Warning about it, oldest first.
    """
    name = _short(value_at(pod, "metadata", "name"))
    if is_ready(pod) or value_at(pod, "status", "phase") == "Succeeded":
        return []
    found = [*_of_pod(pod, name), *_of_containers(pod, name)]
    # A status says what is; an event only what was last met.
    return found or [event_reason(event, name) for event in warnings[-1:]]


def _of_pod(pod: Mapping[str, Any], name: str) -> Iterator[Reason]:
    scheduled = _condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        reason = _short(scheduled.get("reason")) or "Unschedulable"
        yield Reason(Cause.UNSCHEDULABLE, reason, _short(scheduled.get("message")), name)
    status = mapping(pod.get("status"))
    if status.get("phase") == "Failed" and status.get("reason"):
        yield Reason(Cause.ERROR, _short(status["reason"]), _short(status.get("message")), name)


def _of_containers(pod: Mapping[str, Any], name: str) -> Iterator[Reason]:
    status = mapping(pod.get("status"))
    for container in (*mappings(status.get("initContainerStatuses")), *mappings(status.get("containerStatuses"))):
        reason = _of_container(container, name)
        if reason:
            yield reason


def _of_container(status: Mapping[str, Any], pod: str) -> Reason | None:
    """A container that crashed is described by how it ended, which says more than that it is not started again yet."""
    container = _short(status.get("name"))
    waiting = mapping(value_at(status, "state", "waiting"))
    ended = mapping(value_at(status, "state", "terminated")) or mapping(value_at(status, "lastState", "terminated"))
    reason = _short(waiting.get("reason"))
    if reason == "CrashLoopBackOff" or (ended and ended.get("exitCode") != 0 and not status.get("ready")):
        crashes = status.get("restartCount")
        count = crashes if isinstance(crashes, int) else 0
        said = _ending(container, ended, count)
        return Reason(Cause.CRASH, _crash(reason, ended), said, pod, container, count)
    if reason and reason not in _STARTING:
        message = f"container {container}: {waiting.get('message') or reason}"
        return Reason(Cause.ERROR, reason, _short(message), pod, container)
    return None


def _crash(waiting: str, ended: Mapping[str, Any]) -> str:
    ending = _short(ended.get("reason"))
    return ending if ending and ending != "Error" else waiting or ending or "Error"


def _ending(container: str, ended: Mapping[str, Any], crashes: int) -> str:
    parts = [f"container {container}"]
    if "exitCode" in ended:
        parts.append(f"exit code {_short(ended['exitCode'])}")
    if crashes:
        parts.append("restarted once" if crashes == 1 else f"restarted {crashes} times")
    said = _short(ended.get("message"))
    return f"{', '.join(parts)}{f': {said}' if said else ''}"


_NO_ROOM = frozenset(["FailedCreate", "FailedScheduling"])
"""Reasons of events that tell of pods which nobody takes: a quota or an admission refuses them, no node fits."""


def event_reason(event: Mapping[str, Any], pod: str = "") -> Reason:
    """What a warning says: a quota that refuses pods, a volume that is not mounted yet, a probe that fails."""
    reason = _short(event.get("reason")) or "Warning"
    cause = Cause.UNSCHEDULABLE if reason in _NO_ROOM else Cause.STARTING
    return Reason(cause, reason, _short(event.get("message")), pod)


_GRAVITY = (Cause.CRASH, Cause.ERROR, Cause.UNSCHEDULABLE, Cause.STARTING)


def summary(reasons: Iterable[Reason]) -> list[Reason]:
    """One of each kind of trouble, the gravest first: many pods of a workload fail for one reason."""
    kinds: dict[tuple[str, str], Reason] = {}
    for reason in sorted(reasons, key=lambda found: (_GRAVITY.index(found.cause), -found.crashes, found.pod)):
        kinds.setdefault((reason.reason, reason.container), reason)
    return list(kinds.values())


def _condition(pod: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    conditions = mappings(value_at(pod, "status", "conditions"))
    return next((condition for condition in conditions if condition.get("type") == kind), {})


def _short(text: Any) -> str:
    """A message in one line. A container writes its own (its termination message), so it is escaped."""
    return brief(text or "", _MESSAGE_LENGTH)
