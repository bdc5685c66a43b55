"""What the workloads of all backends have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....kubernetes.objects import Object
from .context import Training


def workload(training: Training, api_version: str, kind: str, spec: Mapping[str, Any]) -> Object:
    manifest, labels = training.manifest, training.labels()
    if training.queue:
        labels[training.settings.trainingjob.queueLabel] = training.queue
    metadata: dict[str, Any] = {"name": manifest.name, "namespace": manifest.namespace, "labels": labels}
    if training.annotations():
        metadata["annotations"] = training.annotations()
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": dict(spec)}


def start_of(training: Training) -> dict[str, Any]:
    """Suspended where a queue starts the job, or where the manifest says so."""
    if training.queue:
        return {"suspend": True}
    suspend = training.manifest.spec.suspend
    return {} if suspend is None else {"suspend": suspend}


def end_of(training: Training) -> dict[str, Any]:
    seconds = training.settings.trainingjob.ttlSecondsAfterFinished
    return {} if seconds is None else {"ttlSecondsAfterFinished": seconds}
