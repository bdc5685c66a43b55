"""Pods that take long to start, or don't: the settings of every family, and when waiting for them ends."""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from .model import Spec
from .pod_reasons import Cause, Reason
from .scalars import Integer

SETTLED_SECONDS = 5
"""How long pods must crash in vain: just after a change the old pods are still there."""

Seconds = Annotated[Integer, Field(ge=1)]


class StartupSettings(Spec):
    budgetSeconds: Seconds | None = None
    """How long an engine may take to load its model before it is started anew: the startup probe of services that state
    none. An update waits for it, and 15 minutes more for images and downloads."""
    unschedulableSeconds: Seconds = 600
    """How long an update waits for a node or a quota that takes a pod."""
    errorSeconds: Seconds = 30
    """How long an update goes on while the kubelet tries in vain to pull an image or to make a container."""
    nodeSeconds: Seconds = 300
    """How long an update goes on while a node tries in vain to mount a volume or to make a pod's sandbox."""
    crashes: Annotated[Integer, Field(ge=1)] = 3
    """After how many crashes of a container, or failed pods, an update stops waiting for its service."""


class Past:
    """What had been met before an update began, which doesn't end it: the cause may be repaired by now."""

    def __init__(self, reasons: Iterable[Reason] = ()) -> None:
        reasons = list(reasons)
        self._stamps = {_what(reason): reason.stamp for reason in reasons if reason.stamp}
        self._crashes = {_what(reason): reason.crashes for reason in reasons if reason.cause is Cause.CRASH}

    def has(self, reason: Reason) -> bool:
        """Whether nothing was added since. A container's run that had begun before the update is of the past, too."""
        what = _what(reason)
        if reason.cause is Cause.CRASH:
            return reason.run <= self._crashes.get(what, -1)
        return bool(reason.stamp) and self._stamps.get(what) == reason.stamp


def _what(reason: Reason) -> tuple[str, ...]:
    return (reason.pod, reason.container, "" if reason.cause is Cause.CRASH else reason.reason)


def fatal_reason(reasons: Iterable[Reason], lasting: Mapping[Cause, float], limits: StartupSettings) -> Reason | None:
    """The reason that ends the waiting, if there is one. ``lasting``: for how many seconds each kind has been met."""
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
