"""A workload of groups of pods over several nodes: a LeaderWorkerSet, whose controller must be in the cluster.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_multi_node.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.labels import QUEUE
from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.propagation import propagate
from . import names
from .context import Service, Workload
from .labels import label_layers, metadata, template_metadata
from .server_pod import server_pod

_TEMPLATES = "spec.leaderWorkerTemplate"


def name(service: Service, workload: Workload) -> str:
    spelled = names.prefill_group if workload.is_prefill else names.decode_group
    return spelled(service.name, queued=queued(service, workload))


def queued(service: Service, workload: Workload) -> bool:
    """Whether Kueue admits the group, which then has its names in labels."""
    return QUEUE in propagate(label_layers(service), targets(workload)[0])


def targets(workload: Workload) -> tuple[str, dict[str, str]]:
    """Where labels and annotations go: the object, and the pod templates by their paths."""
    role, worker = workload.role, f"{_TEMPLATES}.workerTemplate"
    if workload.spec.template is None:
        return f"{role} group without leader", {worker: f"{role} pod without leader"}
    return f"{role} group", {f"{_TEMPLATES}.leaderTemplate": f"{role} leader pod", worker: f"{role} worker pod"}


def leader_worker_set(service: Service, workload: Workload) -> Object:
    spec: dict[str, Any] = {
        "leaderWorkerTemplate": _groups(service, workload),
        "rolloutStrategy": _rollout(workload),
        "startupPolicy": "LeaderCreated",
    }
    if workload.spec.replicas is not None:
        spec["replicas"] = workload.spec.replicas
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": metadata(service, targets(workload)[0], name(service, workload)),
        "spec": spec,
    }


def _groups(service: Service, workload: Workload) -> dict[str, Any]:
    groups: dict[str, Any] = {"restartPolicy": "RecreateGroupOnPodRestart"}
    if workload.size is not None:
        groups["size"] = workload.size
    if workload.is_prefill and workload.parallelism.data_parallel:
        groups["subGroupPolicy"] = {"subGroupSize": workload.size}
    pods = {"leaderTemplate": workload.spec.template, "workerTemplate": workload.spec.worker}
    for path, target in targets(workload)[1].items():
        field = path.rpartition(".")[2]
        pod = pods[field]
        if pod is not None:
            groups[field] = {
                "metadata": template_metadata(service, target),
                "spec": server_pod(service, workload, pod),
            }
    return groups


def _rollout(workload: Workload) -> dict[str, Any]:
    """A half that is not set has the API's default; both are spelled out, as one alone would be refused."""
    rollout = dump(workload.spec.rolloutStrategy) if workload.spec.rolloutStrategy else {}
    if not rollout:
        return {"type": "RollingUpdate"}
    return {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0, **rollout}}
