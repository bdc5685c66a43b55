"""The five PriorityClasses that LLMKube's chart installs, and their values."""

from ...kubernetes.rendered import RenderedObject
from . import names

VALUES = {"critical": 1000000, "high": 100000, "normal": 10000, "low": 1000, "batch": 100}
NEVER_PREEMPTS = frozenset(["batch"])


def priority_class(name: str) -> RenderedObject | None:
    """The class of this name, shared by all stacks of a cluster; None for a name other than the five."""
    priority = next((priority for priority in VALUES if names.priority_class(priority) == name), None)
    if priority is None:
        return None
    body = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": VALUES[priority],
        "globalDefault": False,
        "preemptionPolicy": "Never" if priority in NEVER_PREEMPTS else "PreemptLowerPriority",
        "description": f"LLMKube services of priority {priority}",
    }
    return RenderedObject("priority-class", body, lifetime="chart")
