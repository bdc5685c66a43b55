"""Observed status of a service, in terms that all families share, and reading a live workload's status.

A live status is an API server's answer; whatever doesn't have the API's shape is left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..findings import brief
from .values import mappings

Live = Mapping[str, Mapping[str, Any]]
"""The ``status`` of each existing workload, by the role of its object in the rendering."""


FINE = frozenset(["Ready", "Stopped", "Complete"])
"""Phases that are as requested: a service that serves, one that was stopped, a finished job."""


PODS_READY = "PodsReady"
"""Condition that says what keeps pods from being ready."""
_WRONG = frozenset([PODS_READY, "Degraded", "Failed"])


@dataclass(frozen=True)
class Condition:
    """A Kubernetes condition without its timestamps."""

    type: str
    status: str
    reason: str
    message: str = ""


@dataclass(frozen=True)
class ServiceStatus:
    """``ready`` and ``desired`` count serving pods; ``details`` has a family's further counters and fields."""

    phase: str
    endpoint: str = ""
    ready: int = 0
    desired: int = 0
    conditions: tuple[Condition, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """Reason of the first condition; families list the most telling one first."""
        return self.conditions[0].reason if self.conditions else ""

    @property
    def explanation(self) -> str:
        """The reason, with its message if something is wrong."""
        first = self.conditions[0] if self.conditions else None
        return f"{first.reason}: {first.message}" if first and first.type in _WRONG and first.message else self.reason


def conditions_of(status: Mapping[str, Any]) -> list[Condition]:
    """The conditions that a live object reports."""
    return [
        Condition(
            brief(condition["type"]),
            brief(condition.get("status")),
            _text(condition, "reason"),
            _text(condition, "message"),
        )
        for condition in mappings(status.get("conditions"))
        if isinstance(condition.get("type"), str)
    ]


def _text(condition: Mapping[str, Any], field: str) -> str:
    """One line, because controllers quote what pods write."""
    return brief(condition.get(field) or "")


def counter(status: Mapping[str, Any], field: str) -> int:
    """A counter such as ``readyReplicas``, which API servers leave out if it is zero."""
    value = status.get(field)
    return int(value) if isinstance(value, int | float) else 0


def ready_replicas(status: Mapping[str, Any]) -> int:
    return counter(status, "readyReplicas")


def failures(status: Mapping[str, Any]) -> list[Condition]:
    """Why a workload creates no pods or no longer progresses: a quota, rejected pods, an exceeded deadline."""
    telling = (("ReplicaFailure", "True"), ("Progressing", "False"))
    return [condition for condition in conditions_of(status) if (condition.type, condition.status) in telling]


def summary(conditions: Iterable[Condition], reason: str) -> Condition:
    """Ready for ``reason`` if every condition is True, otherwise not, for the reason of the first one that isn't."""
    for condition in conditions:
        if condition.status != "True":
            return Condition("Ready", "False", condition.reason, condition.message)
    return Condition("Ready", "True", reason)
