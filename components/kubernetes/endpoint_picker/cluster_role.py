"""ClusterRole and ClusterRoleBinding with which the endpoint picker checks the tokens of those who read its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .names import cluster_rbac_name
from .role import RBAC_GROUP, RBAC_VERSION
from .service_account import account_subject
from .spec import EndpointPickerSpec


def cluster_role(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    """The last rule is for the account's own token, with which Prometheus reads the metrics."""
    return {
        "apiVersion": RBAC_VERSION,
        "kind": "ClusterRole",
        "metadata": metadata(cluster_rbac_name(spec.namespace, spec.name), "", labels),
        "rules": [
            _create("authentication.k8s.io", "tokenreviews"),
            _create("authorization.k8s.io", "subjectaccessreviews"),
            {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
        ],
    }


def _create(group: str, resource: str) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": [resource], "verbs": ["create"]}


def cluster_role_binding(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    name = cluster_rbac_name(spec.namespace, spec.name)
    return {
        "apiVersion": RBAC_VERSION,
        "kind": "ClusterRoleBinding",
        "metadata": metadata(name, "", labels),
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": name},
        "subjects": [account_subject(spec)],
    }
