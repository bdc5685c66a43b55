"""Labels by which Volcano or Kueue put the pods of a service in a queue."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.labels import QUEUE
from . import keys


def scheduler_labels(
    annotations: Mapping[str, Any], labels: Mapping[str, Any], effective: Mapping[str, Any]
) -> dict[str, Any]:
    """Queue and priority. The documented label of the cluster does what OME's annotation does, which takes precedence.

    ``annotations`` and ``labels`` are the service's, ``effective`` its documented keys in effect.
    """
    documented = labels.get(keys.INFRASTRUCTURE_CLUSTER) if keys.INFRASTRUCTURE_CLUSTER in effective else None
    cluster = annotations.get("ome.io/dedicated-ai-cluster", documented)
    result: dict[str, Any] = {}
    if "ome.io/volcano-queue" in annotations:
        result["volcano.sh/queue-name"] = annotations["ome.io/volcano-queue"]
    elif cluster and "kueue-enabled" in annotations:
        result[QUEUE] = cluster
        result["kueue.x-k8s.io/priority-class"] = "kueue-scheduling-high-priority"
    elif cluster:
        result["volcano.sh/queue-name"] = cluster
        result["ray.io/priority-class-name"] = "volcano-scheduling-high-priority"
    if "volcano" in annotations:
        result["ray.io/scheduler-name"] = "volcano"
    return result


def is_queued(labels: Mapping[str, Any]) -> bool:
    """Whether Kueue's queue label is among scheduler labels."""
    return QUEUE in labels
