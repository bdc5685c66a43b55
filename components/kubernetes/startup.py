"""Pods that start slowly, or never: settings of all families, and when waiting for them ends."""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from .model import Spec
from .pod_reasons import Cause, Reason
from .scalars import Integer

SETTLED_SECONDS = 5
"""Seconds for which pods must keep crashing: just after a change the old pods still exist."""

Seconds = Annotated[Integer, Field(ge=1)]


class StartupSettings(Spec):
    budgetSeconds: Seconds | None = None
    """Seconds that an engine may take to load its model before it is restarted: the startup probe of services that set
    none. An update waits this long, plus 15 minutes for images and downloads."""
    unschedulableSeconds: Seconds = 600
    """Seconds that an update waits for a node or a quota with room for a pod."""
    errorSeconds: Seconds = 30
    """Seconds that an update continues while the kubelet fails to pull an image or to create a container."""
    nodeSeconds: Seconds = 300
    """Seconds that an update continues while a node fails to mount a volume or to create a pod's sandbox."""
    crashes: Annotated[Integer, Field(ge=1)] = 3
    """Number of crashes of a container, or of failed pods, after which an update stops waiting for its service."""


class Past:
    """Problems from before an update, which don't end it, because the cause may be fixed by now."""

    def __init__(self, reasons: Iterable[Reason] = ()) -> None:
        reasons = list(reasons)
        self._stamps = {_what(reason): reason.stamp for reason in reasons if reason.stamp}
        self._crashes = {_what(reason): reason.crashes for reason in reasons if reason.cause is Cause.CRASH}

    def has(self, reason: Reason) -> bool:
        """Whether nothing new has happened. A container run that began before the update is not new either."""
        what = _what(reason)
        if reason.cause is Cause.CRASH:
            return reason.run <= self._crashes.get(what, -1)
        return bool(reason.stamp) and self._stamps.get(what) == reason.stamp


def _what(reason: Reason) -> tuple[str, ...]:
    return (reason.pod, reason.container, "" if reason.cause is Cause.CRASH else reason.reason)


def fatal_reason(reasons: Iterable[Reason], lasting: Mapping[Cause, float], limits: StartupSettings) -> Reason | None:
    """The reason to stop waiting, or None. ``lasting`` has the seconds for which each kind of problem has lasted."""
    most = {
        Cause.CRASH: SETTLED_SECONDS,
        Cause.ERROR: limits.errorSeconds,
        Cause.NODE: limits.nodeSeconds,
        Cause.UNSCHEDULABLE: limits.unschedulableSeconds,
    }
    for reason in reasons:
        enough = reason.cause is not Cause.CRASH or reason.crashes >= limits.crashes
        if enough and lasting.get(reason.cause, 0.0) >= most.get(reason.cause, math.inf):
            return reason
    return None
