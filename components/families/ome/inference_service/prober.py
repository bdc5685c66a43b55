"""The Deployment that probes whether a Ray cluster of several nodes serves.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/multinodevllm/multinodeprober_reconciler.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.probes import http
from .. import names
from ..settings import MultiNodeProber
from .component import Component
from .labels import SERVICE_LABEL, Identity, metadata_of

_PORT = 8080
_PROBER_LABEL = "prober"


def prober(identity: Identity, component: Component, index: int, config: MultiNodeProber) -> Object:
    """One for each cluster; its label keeps it apart from the others."""
    name = names.prober(component.name, index)
    metadata = metadata_of(identity, component, name, "prober")
    labels = metadata["labels"]
    selector = {"app": labels["app"], SERVICE_LABEL: identity.service.name, _PROBER_LABEL: names.shortened(name)}
    pod = {
        "metadata": {
            "labels": {**labels, _PROBER_LABEL: names.shortened(name)},
            "annotations": metadata["annotations"],
        },
        "spec": {"containers": [_container(identity, component, index, config)]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": selector}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def _container(identity: Identity, component: Component, index: int, config: MultiNodeProber) -> dict[str, Any]:
    head = f"{names.ray_cluster(component.name, index)}-head-svc.{identity.service.namespace}.svc.cluster.local"
    timing = {"timeoutSeconds": 5, "periodSeconds": 30, "successThreshold": 1, "failureThreshold": 3}
    return {
        "name": "multinode-prober",
        "image": config.image,
        "imagePullPolicy": "IfNotPresent",
        "args": ["--vllm-endpoint", f"http://{head}:{_PORT}", "--addr", f"0.0.0.0:{_PORT}"],
        "ports": [{"name": "http", "containerPort": _PORT, "protocol": "TCP"}],
        "readinessProbe": {**http("/healthz", _PORT), **timing},
        "livenessProbe": {**http("/readyz", _PORT), **timing},
        "startupProbe": {
            **http("/startupz", _PORT),
            "timeoutSeconds": config.startupTimeoutSeconds,
            "periodSeconds": config.startupPeriodSeconds,
            "successThreshold": 1,
            "failureThreshold": config.startupFailureThreshold,
            "initialDelaySeconds": config.startupInitialDelaySeconds,
        },
        "resources": {
            "limits": {"cpu": config.cpuLimit, "memory": config.memoryLimit},
            "requests": {"cpu": config.cpuRequest, "memory": config.memoryRequest},
        },
    }
