"""The same objects with the typed classes of `pulumi_kubernetes`, as most programs use them."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

CLASSES = {
    "ClusterRole": k8s.rbac.v1.ClusterRole,
    "ClusterRoleBinding": k8s.rbac.v1.ClusterRoleBinding,
    "ConfigMap": k8s.core.v1.ConfigMap,
    "Deployment": k8s.apps.v1.Deployment,
    "HorizontalPodAutoscaler": k8s.autoscaling.v2.HorizontalPodAutoscaler,
    "PersistentVolumeClaim": k8s.core.v1.PersistentVolumeClaim,
    "PriorityClass": k8s.scheduling.v1.PriorityClass,
    "Role": k8s.rbac.v1.Role,
    "RoleBinding": k8s.rbac.v1.RoleBinding,
    "Secret": k8s.core.v1.Secret,
    "Service": k8s.core.v1.Service,
    "ServiceAccount": k8s.core.v1.ServiceAccount,
}
CUSTOM = frozenset(
    ["DestinationRule", "HTTPRoute", "InferenceObjective", "InferencePool", "PodMonitor", "ServiceMonitor"]
)


def register(obj: dict[str, Any]) -> None:
    metadata, kind = obj["metadata"], obj["kind"]
    name = f"{kind}/{metadata.get('namespace', '')}/{metadata['name']}"
    if kind in CUSTOM:
        k8s.apiextensions.CustomResource(name, obj["apiVersion"], kind, metadata=metadata, spec=obj.get("spec"))
        return
    CLASSES[kind](name, **{_snake(field): value for field, value in obj.items() if field not in ("apiVersion", "kind")})


def _snake(field: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


for rendered in json.loads(Path(pulumi.Config("bench").require("objects")).read_text()):
    register(rendered)
