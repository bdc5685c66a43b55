"""A TrainingJob as a JobSet: one Indexed Job for each type of replica."""

from typing import Any

from ....kubernetes.objects import Object
from .context import Training, sizes_of
from .pod_template import pod_template


def job_set(training: Training) -> Object:
    spec: dict[str, Any] = {
        "replicatedJobs": [_replicated(training, replica, count) for replica, count in sizes_of(training).items()],
        "network": {"enableDNSHostnames": True},
        "failurePolicy": {"maxRestarts": training.settings.trainingjob.maxRestarts},
        **training.start,
        **training.end,
    }
    if training.mpi:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    return training.workload("jobset.x-k8s.io/v1alpha2", "JobSet", spec)


def _replicated(training: Training, replica: str, count: int) -> dict[str, Any]:
    """One Indexed Job whose pods are the replicas; the JobSet starts all of them again when one fails."""
    job = {
        "parallelism": count,
        "completions": count,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "template": pod_template(training, replica),
    }
    metadata = {"labels": training.labels(replica)}
    return {"name": replica, "replicas": 1, "template": {"metadata": metadata, "spec": job}}
