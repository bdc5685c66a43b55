"""How long a pod that does not start is given, before waiting for its service is given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .pod_reasons import Cause, Reason

SETTLED_SECONDS = 5
"""How long pods must crash in vain: just after a change the old pods are still there."""


@dataclass(frozen=True)
class StartupLimits:
    """Seconds for which no node need take a pod, seconds of errors such as an image that can't be pulled, and how many
    crashes of a container end the waiting."""

    unschedulable_seconds: int = 600
    error_seconds: int = 30
    crashes: int = 3


def hopeless(reasons: Iterable[Reason], lasting: Mapping[Cause, float], limits: StartupLimits) -> Reason | None:
    """The reason that ends the waiting, if there is one. ``lasting``: for how many seconds each kind has been met."""
    for reason in reasons:
        seconds = lasting.get(reason.cause, 0.0)
        if reason.cause is Cause.CRASH and reason.crashes >= limits.crashes and seconds >= SETTLED_SECONDS:
            return reason
        if reason.cause is Cause.ERROR and seconds >= limits.error_seconds:
            return reason
        if reason.cause is Cause.UNSCHEDULABLE and seconds >= limits.unschedulable_seconds:
            return reason
    return None
