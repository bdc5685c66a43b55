"""How long a rollout may take: until the slowest server has started, and a margin for images and models."""

from __future__ import annotations

from .objects import Object
from .pod_templates import containers_of

MARGIN_SECONDS = 15 * 60
"""What a workload may take beyond its startup probe: pulling images and downloading a model."""


def startup_seconds(obj: Object) -> int:
    """How long the slowest container of a workload may take to start, as its startup probe says; 0 without one."""
    probes = [container.field("startupProbe") for container in containers_of(obj) if not container.init]
    budgets = [
        probe.get("initialDelaySeconds", 0) + probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
        for probe in probes
        if probe
    ]
    return max(budgets, default=0)


def rollout_seconds(obj: Object) -> int:
    """How long a workload is waited for."""
    return startup_seconds(obj) + MARGIN_SECONDS


def with_deadline(obj: Object) -> Object:
    """A Deployment with as much time to make progress as its pods may take to start.

    By default it is called failed after ten minutes, while a large model still loads.
    """
    if obj["kind"] != "Deployment" or "progressDeadlineSeconds" in obj["spec"]:
        return obj
    startup = startup_seconds(obj)
    return {**obj, "spec": {**obj["spec"], "progressDeadlineSeconds": startup + MARGIN_SECONDS}} if startup else obj
