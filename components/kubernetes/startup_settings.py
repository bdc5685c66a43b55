"""The settings of every family about pods that take long to start, or don't."""

from typing import Annotated

from pydantic import Field

from .model import Spec
from .scalars import Integer
from .startup import StartupLimits

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

    def limits(self) -> StartupLimits:
        return StartupLimits(self.unschedulableSeconds, self.errorSeconds, self.crashes)
