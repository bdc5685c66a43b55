"""The observed status of a service, in the vocabulary that all families share, and how a live workload's is read.

A live status is what some API server answered: whatever in it has another shape than the API's is left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..findings import brief
from .values import mappings

Live = Mapping[str, Mapping[str, Any]]
"""The ``status`` of each workload that exists, by the role of its object in the rendering."""


FINE = frozenset(["Ready", "Stopped", "Complete"])
"""Phases that are as asked for: a service that serves, one that was stopped, a finished job."""


PODS_READY = "PodsReady"
"""The condition that has what keeps pods from being ready."""
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

    @property
    def explanation(self) -> str:
        """The reason, with its message where something is wrong."""
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
    """As one line: controllers quote what pods say."""
    return brief(condition.get(field) or "")


def counter(status: Mapping[str, Any], field: str) -> int:
    """A counter such as ``readyReplicas``: API servers leave out zeros."""
    value = status.get(field)
    return int(value) if isinstance(value, int | float) else 0


def ready_replicas(status: Mapping[str, Any]) -> int:
    return counter(status, "readyReplicas")


def failures(status: Mapping[str, Any]) -> list[Condition]:
    """Why a workload makes no pods or no longer gets on: a quota, pods that are refused, a deadline that has passed."""
    telling = (("ReplicaFailure", "True"), ("Progressing", "False"))
    return [condition for condition in conditions_of(status) if (condition.type, condition.status) in telling]


def summary(conditions: Iterable[Condition], reason: str) -> Condition:
    """Ready for ``reason`` when every condition is True, else in the words of the first one that is not."""
    for condition in conditions:
        if condition.status != "True":
            return Condition("Ready", "False", condition.reason, condition.message)
    return Condition("Ready", "True", reason)
