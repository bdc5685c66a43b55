"""Pods that take long to start, or don't: the settings of every family, and when waiting for them is given up."""

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
    crashes: Annotated[Integer, Field(ge=1)] = 3
    """After how many crashes of a container an update stops waiting for its service."""


def hopeless(reasons: Iterable[Reason], lasting: Mapping[Cause, float], limits: StartupSettings) -> Reason | None:
    """The reason that ends the waiting, if there is one. ``lasting``: for how many seconds each kind has been met."""
    for reason in reasons:
        seconds = lasting.get(reason.cause, 0.0)
        if reason.cause is Cause.CRASH and reason.crashes >= limits.crashes and seconds >= SETTLED_SECONDS:
            return reason
        if reason.cause is Cause.ERROR and seconds >= limits.errorSeconds:
            return reason
        if reason.cause is Cause.UNSCHEDULABLE and seconds >= limits.unschedulableSeconds:
            return reason
    return None
