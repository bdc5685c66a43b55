"""Role and RoleBinding of the endpoint picker: what it watches, and the leader's lease."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .service_account import account_subject
from .spec import EndpointPickerSpec

RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC_VERSION = f"{RBAC_GROUP}/v1"

_WATCH = ("get", "watch", "list")
_LEASE = ("get", "list", "watch", "create", "update", "patch", "delete")


def role(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": RBAC_VERSION,
        "kind": "Role",
        "metadata": metadata(spec.name, spec.namespace, labels),
        "rules": role_rules(spec.poolGroup, leader_election=spec.highly_available),
    }


def role_rules(pool_group: str, *, leader_election: bool) -> list[dict[str, Any]]:
    """The leader also records its election as an event, which leases alone don't allow."""
    rules = [
        _rule("", ["pods"], _WATCH),
        _rule("inference.networking.x-k8s.io", ["inferenceobjectives", "inferencemodelrewrites"], _WATCH),
        _rule(pool_group, ["inferencepools"], _WATCH),
    ]
    if leader_election:
        rules += [_rule("coordination.k8s.io", ["leases"], _LEASE), _rule("", ["events"], ("create", "patch"))]
    return rules


def _rule(group: str, resources: list[str], verbs: tuple[str, ...]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}


def role_binding(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": RBAC_VERSION,
        "kind": "RoleBinding",
        "metadata": metadata(spec.name, spec.namespace, labels),
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": "Role", "name": spec.name},
        "subjects": [account_subject(spec)],
    }
