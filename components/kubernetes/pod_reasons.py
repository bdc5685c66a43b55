"""Why a pod is not ready, in Kubernetes' words: from its status, or otherwise from the last warning about it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from ..findings import brief
from .values import mapping, mappings, value_at

_MESSAGE_LENGTH = 500
_STARTING = frozenset(["ContainerCreating", "PodInitializing"])


class Cause(StrEnum):
    """Kind of problem, which decides how long it may last."""

    UNSCHEDULABLE = "unschedulable"
    """No node can take the pod, or a quota leaves no room for it. Nodes may be added, and other pods may end."""
    ERROR = "error"
    """The kubelet fails, and retries: it can't pull an image, or a container's Secret is missing."""
    CRASH = "crash"
    """A container crashes repeatedly, or pods fail one after the other."""
    NODE = "node"
    """A node can't mount a volume or create a pod's sandbox, and retries."""
    STARTING = "starting"
    """No lasting problem so far: a probe that does not succeed yet, a volume that takes long to mount."""


class Reason(NamedTuple):
    """Why a pod, or a workload without pods (``pod`` is empty), is not ready.

    ``crashes`` counts restarts, or failed pods. ``run`` is the container run that crashed, counted from 0. ``stamp``
    changes when the same problem occurs again; it is empty if nothing tells how often that was.
    """

    cause: Cause
    reason: str
    message: str
    pod: str = ""
    container: str = ""
    crashes: int = 0
    run: int = 0
    stamp: str = ""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.reason, self.message_with_pod) if part)

    @property
    def message_with_pod(self) -> str:
        return ": ".join(part for part in (f"pod {self.pod}" if self.pod else "", self.message) if part)


def is_ready(pod: Mapping[str, Any]) -> bool:
    return _condition(pod, "Ready").get("status") == "True"


def pod_reasons(pod: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> list[Reason]:
    """Why a pod is not ready, the most telling reason first; empty if it is ready or has no known reason.

    ``events`` are the events about the pod, oldest first.
    """
    name = _short(value_at(pod, "metadata", "name"))
    if is_ready(pod) or value_at(pod, "status", "phase") == "Succeeded":
        return []
    reasons = [*_of_pod(pod, name), *_of_containers(pod, name, events)]
    # A status describes the present; an event only what happened last.
    return reasons or _of_events(pod, name, events)


def has_failed(pod: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> bool:
    """Whether a pod has ended in failure: evicted, or rejected by its node."""
    return value_at(pod, "status", "phase") == "Failed" or bool(_eviction(pod, events))


def _eviction(pod: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The event of an eviction that the pod's status doesn't show. If a server exits with 0 when it is told to stop,
    the kubelet reports its pod as Succeeded."""
    return _last(events, _EVICTED) if value_at(pod, "status", "phase") == "Succeeded" else {}


def is_at_a_node(pod: Mapping[str, Any]) -> bool:
    """Whether a node has accepted the pod."""
    return bool(value_at(pod, "status", "startTime"))


def failed_pods(pods: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> list[Reason]:
    """Why pods failed one after the other, as the last one tells it. ``pods`` has each pod with the events about it,
    oldest first."""
    for pod, events in reversed(pods):
        name, evicted = _short(value_at(pod, "metadata", "name")), _eviction(pod, events)
        for reason in [event_reason(evicted, name)] if evicted else _of_pod(pod, name):
            return [reason._replace(cause=Cause.CRASH, crashes=len(pods), run=len(pods), stamp="")]
    return []


def _of_pod(pod: Mapping[str, Any], name: str) -> Iterator[Reason]:
    scheduled = _condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        reason = _short(scheduled.get("reason")) or "Unschedulable"
        yield Reason(Cause.UNSCHEDULABLE, reason, _short(scheduled.get("message")), name)
    status = mapping(pod.get("status"))
    if has_failed(pod) and status.get("reason"):
        yield Reason(Cause.ERROR, _short(status["reason"]), _short(status.get("message")), name)


def _of_containers(pod: Mapping[str, Any], name: str, events: Sequence[Mapping[str, Any]]) -> Iterator[Reason]:
    status = mapping(pod.get("status"))
    for container in (*mappings(status.get("initContainerStatuses")), *mappings(status.get("containerStatuses"))):
        about_it = [event for event in events if _is_about(event, _short(container.get("name")))]
        reason = _of_container(container, name, about_it)
        if reason:
            yield reason


def _is_about(event: Mapping[str, Any], container: str) -> bool:
    return str(value_at(event, "involvedObject", "fieldPath") or "").endswith(f"{{{container}}}")


def _of_container(status: Mapping[str, Any], pod: str, events: Sequence[Mapping[str, Any]]) -> Reason | None:
    """Describes a crashed container by how it ended, which says more than that it waits to be restarted."""
    container = _short(status.get("name"))
    waiting = mapping(value_at(status, "state", "waiting"))
    now = mapping(value_at(status, "state", "terminated"))
    ended = now or mapping(value_at(status, "lastState", "terminated"))
    reason = _short(waiting.get("reason"))
    probe = _probe_that_killed(ended, events)
    failed = ended and not status.get("ready") and (ended.get("exitCode") != 0 or bool(probe))
    if reason == "CrashLoopBackOff" or failed:
        crashes = status.get("restartCount")
        count = crashes if isinstance(crashes, int) else 0
        said = _ending(container, ended, count, probe)
        run = count if waiting or now else count - 1
        kind = "Unhealthy" if probe else _crash(reason, ended)
        return Reason(Cause.CRASH, kind, said, pod, container, count, run)
    if reason and reason not in _STARTING:
        message = _short(f"container {container}: {waiting.get('message') or reason}")
        last = _last(events, _FAILED)
        if reason in _PULLS and event_time(_last(events, _PULLING)) > event_time(last):
            return Reason(
                Cause.STARTING, "Pulling", f"container {container}: {_last(events, _PULLING)['message']}", pod
            )
        return Reason(Cause.ERROR, reason, message, pod, container, stamp=_stamp(last))
    return None


_PULLS = frozenset(["ErrImagePull", "ImagePullBackOff"])
_EVICTED, _FAILED, _PULLING = (frozenset([reason]) for reason in ("Evicted", "Failed", "Pulling"))
_GOES_ON = frozenset(["Pulling", "Pulled", "Created", "Started"])
"""Reasons of events after which a pod no longer waits for volumes or its sandbox."""
_KILLED = frozenset([0, 137, 143])
"""Exit codes of servers that are told to stop."""
_KILLING_PROBES = ("Startup probe", "Liveness probe")


def _last(events: Sequence[Mapping[str, Any]], reasons: frozenset[str]) -> Mapping[str, Any]:
    return next((event for event in reversed(events) if event.get("reason") in reasons), {})


def event_time(event: Mapping[str, Any]) -> str:
    """When an event last occurred; empty without an event."""
    last = value_at(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return str(last or value_at(event, "metadata", "creationTimestamp") or "")


def _stamp(event: Mapping[str, Any]) -> str:
    count = event.get("count") or value_at(event, "series", "count") or ""
    return f"{event_time(event)}/{count}" if event_time(event) else ""


def _probe_that_killed(ended: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> str:
    """Message of the probe for which the kubelet killed a container; empty if the container ended by itself."""
    if ended.get("exitCode") not in _KILLED or ended.get("reason") == "OOMKilled":
        return ""
    said = [_short(event.get("message")) for event in events if event.get("reason") == "Unhealthy"]
    return next((message for message in reversed(said) if message.startswith(_KILLING_PROBES)), "")


def _crash(waiting: str, ended: Mapping[str, Any]) -> str:
    ending = _short(ended.get("reason"))
    return ending if ending and ending != "Error" else waiting or ending or "Error"


def _ending(container: str, ended: Mapping[str, Any], crashes: int, probe: str) -> str:
    parts = [f"container {container}"]
    if "exitCode" in ended:
        parts.append(f"exit code {_short(ended['exitCode'])}")
    if crashes:
        parts.append("restarted once" if crashes == 1 else f"restarted {crashes} times")
    # If the message is the end of a log, the error is at its end.
    said = probe or _short(_end(str(ended.get("message") or "")))
    return f"{', '.join(parts)}{f': {said}' if said else ''}"


def _end(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MESSAGE_LENGTH else f"…{words[1 - _MESSAGE_LENGTH :]}"


def _of_events(pod: Mapping[str, Any], name: str, events: Sequence[Mapping[str, Any]]) -> list[Reason]:
    """The last warning about a pod, unless something newer shows progress."""
    warnings = [event for event in events if event.get("type", "Warning") == "Warning"]
    if not warnings or event_time(_last(events, _GOES_ON)) > event_time(warnings[-1]):
        return []
    reason = event_reason(warnings[-1], name)
    if reason.cause is not Cause.STARTING and _condition(pod, "PodReadyToStartContainers").get("status") == "True":
        return []
    return [reason]


_NO_ROOM = frozenset(["FailedCreate", "FailedScheduling"])
"""Reasons of events about pods without a place: a quota or admission rejects them, or no node fits."""
_NODE = frozenset(["FailedAttachVolume", "FailedCreatePodContainer", "FailedCreatePodSandBox", "FailedMount"])
"""Reasons of events about what a node does before it starts containers."""
_IN_VAIN = {
    "FailedCreate": re.compile(r"is forbidden: (?!exceeded quota)| is invalid: "),
    "FailedMount": re.compile(r"(?:secret|configmap) \S+ not found|references non-existent (?:secret|config) key"),
    "FailedCreatePodSandBox": re.compile(r"no runtime for |RuntimeHandler \S+ not supported"),
}
"""Problems that only people can fix: rejection by admission, a missing Secret, an unknown runtime class."""


def event_reason(event: Mapping[str, Any], pod: str = "") -> Reason:
    """What a warning reports: a quota that rejects pods, a volume that is not mounted yet, a failing probe."""
    reason = _short(event.get("reason")) or "Warning"
    message = _short(event.get("message"))
    return Reason(_event_cause(reason, str(event.get("message"))), reason, message, pod, stamp=_stamp(event))


def _event_cause(reason: str, message: str) -> Cause:
    if reason in _IN_VAIN and _IN_VAIN[reason].search(message):
        return Cause.ERROR
    if reason in _NO_ROOM:
        return Cause.UNSCHEDULABLE
    return Cause.NODE if reason in _NODE else Cause.STARTING


_GRAVITY = (Cause.CRASH, Cause.ERROR, Cause.UNSCHEDULABLE, Cause.NODE, Cause.STARTING)


def summary(reasons: Iterable[Reason]) -> list[Reason]:
    """One reason of each kind, the worst first, because many pods of a workload fail for the same reason."""
    kinds: dict[tuple[str, str], Reason] = {}
    for reason in sorted(reasons, key=lambda each: (_GRAVITY.index(each.cause), -each.crashes, each.pod)):
        kinds.setdefault((reason.reason, reason.container), reason)
    return list(kinds.values())


def _condition(pod: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    conditions = mappings(value_at(pod, "status", "conditions"))
    return next((condition for condition in conditions if condition.get("type") == kind), {})


def _short(text: Any) -> str:
    """A message on one line, escaped because a container may write it itself (its termination message)."""
    return brief(text or "", _MESSAGE_LENGTH)
