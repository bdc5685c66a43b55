"""ServiceAccounts, roles and bindings. ``metadata`` is the object's; the caller decides what a role allows."""

from collections.abc import Sequence
from typing import Any

from .objects import Object
from .values import without_empty

GROUP = "rbac.authorization.k8s.io"
VERSION = f"{GROUP}/v1"

READ = ("get", "list", "watch")


def service_account(
    metadata: dict[str, Any], secrets: Sequence[Any] = (), image_pull_secrets: Sequence[Any] = ()
) -> Object:
    """Pods that use the account pull their images with its ``imagePullSecrets``."""
    lists = without_empty({"secrets": list(secrets), "imagePullSecrets": list(image_pull_secrets)})
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata, **lists}


def rule(groups: Sequence[str], resources: Sequence[str], verbs: Sequence[str]) -> dict[str, Any]:
    """A rule of a role. The core group is an empty string."""
    return {"apiGroups": list(groups), "resources": list(resources), "verbs": list(verbs)}


def role(metadata: dict[str, Any], rules: Sequence[dict[str, Any]]) -> Object:
    return {"apiVersion": VERSION, "kind": "Role", "metadata": metadata, "rules": list(rules)}


def cluster_role(metadata: dict[str, Any], rules: Sequence[dict[str, Any]]) -> Object:
    return {**role(metadata, rules), "kind": "ClusterRole"}


def role_binding(metadata: dict[str, Any], role: str, account: str, namespace: str) -> Object:
    """Grants the Role to the account of a namespace."""
    return {
        "apiVersion": VERSION,
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": "Role", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def cluster_role_binding(metadata: dict[str, Any], cluster_role: str, account: str, namespace: str) -> Object:
    """Grants the ClusterRole to the account, in the whole cluster."""
    binding = role_binding(metadata, cluster_role, account, namespace)
    return {**binding, "kind": "ClusterRoleBinding", "roleRef": {**binding["roleRef"], "kind": "ClusterRole"}}
