"""A TrainingJob as an Indexed Job, or a plain Job for a single node."""

from __future__ import annotations

from typing import Any

from ....kubernetes.objects import Object
from .context import Training
from .spec import nodes
from .workload import end_of, start_of, workload


def job(training: Training) -> Object:
    """An Indexed Job whose pods find each other by a headless Service; a plain Job for a single node."""
    count = nodes(training.manifest.spec)
    template = training.pod("worker")
    spec: dict[str, Any] = {"backoffLimit": training.settings.trainingjob.maxRestarts}
    if count > 1:
        template["spec"]["subdomain"] = training.manifest.name
        spec |= {"parallelism": count, "completions": count, "completionMode": "Indexed"}
    return workload(
        training, "batch/v1", "Job", {**spec, **start_of(training), **end_of(training), "template": template}
    )
