"""Service accounts and rights of the workloads.

A pod that names an account keeps it. Otherwise an account is created if the pod needs rights (the routing sidecar reads
pods and pools) or, as in KServe, if the workload has groups of pods.

Decisions: reference (docs/decisions).
"""

from typing import Any

from ...kubernetes import rbac
from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, GROUP
from ...kubernetes.objects import Object
from . import names
from .context import Service, Workload
from .labels import metadata
from .pods import Pod

SIDECAR = "llm-d-routing-sidecar"
_SIDECAR_RULES = [
    rbac.rule([""], ["pods"], rbac.READ),
    rbac.rule([ALPHA_GROUP, GROUP], ["inferencepools"], rbac.READ),
]


def named_account(workload: Workload) -> str:
    """The account that the pods name; in a group, the leader's takes precedence over the workers'."""
    return next((pod.serviceAccountName for _, pod in workload.pods if pod.serviceAccountName), "")


def has_sidecar(workload: Workload) -> bool:
    """Whether the pods have the routing sidecar, which needs rights; only decode pods can have it."""
    template = None if workload.is_prefill else workload.spec.template
    return any(item.name == SIDECAR for item in (template.initContainers if template else None) or [])


def made(workload: Workload) -> bool:
    """Whether an account is created: the workload needs one, and the user names none."""
    return not named_account(workload) and (workload.multi_node or has_sidecar(workload))


def account(service: Service, workload: Workload) -> str:
    """The account of the workload's pods, "" for the namespace's default one."""
    if named_account(workload) or not made(workload):
        return named_account(workload)
    return names.account(service.name, prefill=workload.is_prefill, group=workload.multi_node)


def objects(service: Service, workload: Workload) -> dict[str, Object]:
    """The account, role and binding that are needed, by kind."""
    target = "group account" if workload.multi_node else "workload parts"
    name, prefill, group = service.name, workload.is_prefill, workload.multi_node
    made_objects: dict[str, Object] = {}
    if made(workload):
        meta = metadata(service, target, account(service, workload))
        made_objects["service-account"] = service_account(service, meta, "default")
    if has_sidecar(workload):
        role = names.account(name, "-role", prefill=prefill, group=group)
        binding = metadata(service, target, names.account(name, "-rb", prefill=prefill, group=group))
        made_objects["role"] = rbac.role(metadata(service, target, role), _SIDECAR_RULES)
        made_objects["role-binding"] = rbac.role_binding(binding, role, account(service, workload), service.namespace)
    return made_objects


def service_account(service: Service, meta: dict[str, Any], pattern: str) -> Object:
    """An account with the Secrets of the existing account ``pattern``."""
    secrets, pull_secrets = (
        service.known.field("ServiceAccount", service.namespace, pattern, field) or []
        for field in ("secrets", "imagePullSecrets")
    )
    return rbac.service_account(meta, secrets, pull_secrets)


def with_account(pod: Pod, name: str) -> Pod:
    return {**pod, "serviceAccountName": name} if name else pod
