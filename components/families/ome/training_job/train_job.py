"""A TrainingJob as a TrainJob of Kubeflow, whose runtime makes the pods."""

from typing import Any

from ....kubernetes.model import dump, dumps
from ....kubernetes.objects import Object
from ....kubernetes.values import without_empty
from .context import Training
from .pod_template import pod_template


def train_job(training: Training) -> Object:
    """Kubeflow's kind: its runtime makes the pods."""
    spec, trainer = training.manifest.spec, training.manifest.spec.trainer
    fields: dict[str, Any] = {
        "image": trainer.image,
        "command": trainer.command,
        "args": trainer.args,
        "env": pod_template(training, "worker")["spec"]["containers"][0].get("env") or dumps(trainer.env),
        "numNodes": trainer.numNodes,
        "numProcPerNode": _number(trainer.numProcPerNode),
        "resourcesPerNode": dump(trainer.resourcesPerNode) if trainer.resourcesPerNode else None,
    }
    reference = spec.runtimeRef
    body = {
        "runtimeRef": {
            "apiGroup": "trainer.kubeflow.org",
            "kind": (reference.kind if reference else None) or "ClusterTrainingRuntime",
            "name": reference.name if reference else "",
        },
        "trainer": without_empty(fields),
        "labels": training.labels(),
        "annotations": training.annotations(),
        **training.start,
    }
    return training.workload("trainer.kubeflow.org/v1alpha1", "TrainJob", without_empty(body))


def _number(text: str | None) -> int | str | None:
    return int(text) if text and text.isdecimal() else text
