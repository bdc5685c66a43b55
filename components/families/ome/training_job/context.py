"""A TrainingJob with the documented keys in effect and the platform's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....kubernetes.metadata import metadata
from ....kubernetes.objects import Object
from ....kubernetes.propagation import Layer, propagate
from ....kubernetes.values import without_empty
from ....ome_keys import keys
from ....ome_keys.pod_template import monitoring
from ....ome_keys.vocabulary import effective_keys
from ..metadata import standard_labels
from ..settings import OMESettings
from .spec import TrainingJob, nodes

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Training:
    """A training job, ready to be rendered."""

    manifest: TrainingJob
    effective: Mapping[str, Any]
    settings: OMESettings

    @classmethod
    def of(cls, manifest: TrainingJob, settings: OMESettings) -> Training:
        described = manifest.metadata
        return cls(manifest, effective_keys(described.labels, described.annotations, settings), settings)

    @property
    def framework(self) -> str:
        return str(self.manifest.metadata.labels.get(keys.TRAINING_FRAMEWORK, "pytorch"))

    @property
    def mpi(self) -> bool:
        return self.framework == "mpi"

    @property
    def queue(self) -> Any:
        """The queue of a scheduler that starts the job when there is room."""
        return self.effective.get(keys.INFRASTRUCTURE_CLUSTER)

    def labels(self, replica: str = "") -> dict[str, Any]:
        """Labels of an object or pod; ``replica`` is launcher or worker for pods of that type."""
        manifest = self.manifest
        of_ome: dict[str, Any] = {
            keys.TRAINING_JOB_NAME: manifest.name,
            keys.TRAINING_FRAMEWORK: self.framework,
            **({keys.TRAINING_REPLICA_TYPE: replica} if replica else {}),
        }
        everything = frozenset(["object"])
        layers = [
            Layer("ome", standard_labels("trainer", manifest.name, self.settings.version), everything),
            Layer("metadata.labels", manifest.metadata.labels, everything),
            Layer("spec.labels", manifest.spec.labels, everything),
            Layer("ome", of_ome, everything, owned=True),
        ]
        return propagate(layers, "object")

    def annotations(self) -> dict[str, Any]:
        stated = {k: v for k, v in self.manifest.metadata.annotations.items() if k != _LAST_APPLIED}
        everything = frozenset(["object"])
        layers = [
            Layer("metadata.annotations", stated, everything),
            Layer("metadata.annotations", monitoring(self.effective), everything),
            Layer("spec.annotations", self.manifest.spec.annotations, everything),
        ]
        return propagate(layers, "object")

    @property
    def start(self) -> dict[str, Any]:
        """Suspended if a queue starts the job, otherwise as the manifest says."""
        suspend = True if self.queue else self.manifest.spec.suspend
        return {} if suspend is None else {"suspend": suspend}

    @property
    def end(self) -> dict[str, Any]:
        """When the finished job is deleted, if the settings say so."""
        seconds = self.settings.trainingjob.ttlSecondsAfterFinished
        return {} if seconds is None else {"ttlSecondsAfterFinished": seconds}

    def workload(self, api_version: str, kind: str, spec: Mapping[str, Any]) -> Object:
        """The backend's object that runs the pods."""
        labels = self.labels() | ({self.settings.trainingjob.queueLabel: self.queue} if self.queue else {})
        described = metadata(self.manifest.name, self.manifest.namespace, labels)
        annotations = without_empty({"annotations": self.annotations()})
        return {"apiVersion": api_version, "kind": kind, "metadata": {**described, **annotations}, "spec": dict(spec)}


def sizes_of(training: Training) -> dict[str, int]:
    launcher = {"launcher": 1} if training.mpi else {}
    return {**launcher, "worker": nodes(training.manifest.spec)}
