"""A workload of single pods: a Deployment.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_single_node.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.pod import PodSpec
from . import names
from .context import Service, Workload
from .labels import metadata, owned_labels, template_metadata
from .server_pod import server_pod


def name(service: Service, workload: Workload) -> str:
    spelled = names.prefill_deployment if workload.is_prefill else names.decode_deployment
    return spelled(service.name)


def targets(workload: Workload) -> tuple[str, dict[str, str]]:
    """Where labels and annotations go: the object, and the pod template by its path."""
    return workload.role, {"spec.template": f"{workload.role} pod"}


def deployment(service: Service, workload: Workload) -> Object:
    target, templates = targets(workload)
    spec: dict[str, Any] = {
        "selector": {"matchLabels": owned_labels(service, target)},
        "template": {
            "metadata": template_metadata(service, templates["spec.template"]),
            "spec": server_pod(service, workload, workload.spec.template or PodSpec()),
        },
    }
    if workload.spec.replicas is not None:
        spec["replicas"] = workload.spec.replicas
    rollout = dump(workload.spec.rolloutStrategy) if workload.spec.rolloutStrategy else {}
    if rollout:
        spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": rollout}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(service, target, name(service, workload)),
        "spec": spec,
    }
