"""The observed status of a service, in the vocabulary that all families share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Condition:
    """A Kubernetes condition without its timestamps."""

    type: str
    status: str
    reason: str
    message: str = ""


@dataclass(frozen=True)
class ServiceStatus:
    """``ready`` and ``desired`` count pods that serve; ``details`` has a family's further counters and fields."""

    phase: str
    endpoint: str = ""
    ready: int = 0
    desired: int = 0
    conditions: tuple[Condition, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reason of the most telling condition: the first one, which families list by weight."""
        return self.conditions[0].reason if self.conditions else ""
