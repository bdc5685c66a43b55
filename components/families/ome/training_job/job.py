"""A TrainingJob as an Indexed Job, or a plain Job for a single node."""

from typing import Any

from ....kubernetes.objects import Object
from .context import Training
from .pod_template import pod_template
from .spec import nodes


def job(training: Training) -> Object:
    """An Indexed Job whose pods find each other by a headless Service; a plain Job for a single node."""
    count = nodes(training.manifest.spec)
    template = pod_template(training, "worker")
    spec: dict[str, Any] = {"backoffLimit": training.settings.trainingjob.maxRestarts}
    if count > 1:
        template["spec"]["subdomain"] = training.manifest.name
        spec |= {"parallelism": count, "completions": count, "completionMode": "Indexed"}
    return training.workload("batch/v1", "Job", {**spec, **training.start, **training.end, "template": template})
