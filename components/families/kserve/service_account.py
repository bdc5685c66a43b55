"""Service accounts and rights of the workloads.

A pod that names an account keeps it; one is made where the pod needs rights (the routing sidecar reads pods and pools)
or where KServe makes one for every group of pods.
"""

from __future__ import annotations

from typing import Any

from ...kubernetes.objects import Object
from ...kubernetes.values import without_empty
from . import names
from .context import Service, Workload
from .labels import metadata
from .pods import Pod

SIDECAR = "llm-d-routing-sidecar"
POOL_GROUPS = ("inference.networking.x-k8s.io", "inference.networking.k8s.io")
_READ = ["get", "list", "watch"]
_SIDECAR_RULES = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": _READ},
    {"apiGroups": list(POOL_GROUPS), "resources": ["inferencepools"], "verbs": _READ},
]


def named_account(workload: Workload) -> str:
    """The account that the pods name; of a group the leader's counts before the workers'."""
    pods = [workload.spec.template, workload.spec.worker]
    return next((pod.serviceAccountName for pod in pods if pod and pod.serviceAccountName), "")


def has_sidecar(workload: Workload) -> bool:
    """Whether the pods route requests on to prefill, which takes rights; only decode does."""
    template = None if workload.is_prefill else workload.spec.template
    return any(item.name == SIDECAR for item in (template.initContainers if template else None) or [])


def made(workload: Workload) -> bool:
    """Whether the workload needs an account that the user does not name."""
    return not named_account(workload) and (workload.multi_node or has_sidecar(workload))


def account(service: Service, workload: Workload) -> str:
    """The account of the workload's pods, "" for the namespace's default one."""
    if named_account(workload) or not made(workload):
        return named_account(workload)
    return names.account(service.name, prefill=workload.is_prefill, group=workload.multi_node)


def objects(service: Service, workload: Workload) -> dict[str, Object]:
    """Account, role and binding, by kind; those that are needed."""
    target = "group account" if workload.multi_node else "workload parts"
    name, prefill, group = service.name, workload.is_prefill, workload.multi_node
    found: dict[str, Object] = {}
    if made(workload):
        meta = metadata(service, target, account(service, workload))
        found["service-account"] = service_account(service, meta, "default")
    if has_sidecar(workload):
        role = names.account_role(name, prefill=prefill, group=group)
        found["role"] = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": metadata(service, target, role),
            "rules": _SIDECAR_RULES,
        }
        binding = metadata(service, target, names.account_role_binding(name, prefill=prefill, group=group))
        found["role-binding"] = role_binding(binding, "Role", role, account(service, workload), service.namespace)
    return found


def service_account(service: Service, meta: dict[str, Any], pattern: str) -> Object:
    """An account with the Secrets of an existing one, ``pattern``."""
    given = {
        field: service.known.field("ServiceAccount", service.namespace, pattern, field)
        for field in ("secrets", "imagePullSecrets")
    }
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta, **without_empty(given)}


def role_binding(meta: dict[str, Any], kind: str, role: str, account: str, namespace: str) -> Object:
    """A RoleBinding to a Role, or a ClusterRoleBinding to a ClusterRole."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding" if kind == "Role" else "ClusterRoleBinding",
        "metadata": meta,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def with_account(pod: Pod, name: str) -> Pod:
    return {**pod, "serviceAccountName": name} if name else pod
