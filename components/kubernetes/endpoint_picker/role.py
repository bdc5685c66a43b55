"""Role and RoleBinding that let the endpoint picker watch its resources and hold the leader's lease.

Mirrors otterscale/model-operator internal/modelservice/epp_rbac.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping
from typing import Any

from .. import rbac
from ..metadata import metadata
from ..objects import Object
from .inference_pool import ALPHA_GROUP
from .spec import EndpointPickerSpec

_WATCH = ("get", "watch", "list")
_LEASE = ("get", "list", "watch", "create", "update", "patch", "delete")


def role(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    rules = role_rules(spec.poolGroup, leader_election=spec.highly_available)
    return rbac.role(metadata(spec.name, spec.namespace, labels), rules)


def role_rules(pool_group: str, *, leader_election: bool) -> list[dict[str, Any]]:
    rules = [
        rbac.rule([""], ["pods"], _WATCH),
        rbac.rule([ALPHA_GROUP], ["inferenceobjectives", "inferencemodelrewrites"], _WATCH),
        rbac.rule([pool_group], ["inferencepools"], _WATCH),
    ]
    return [*rules, rbac.rule(["coordination.k8s.io"], ["leases"], _LEASE), events()] if leader_election else rules


def events() -> dict[str, Any]:
    """Lets the leader record its election as an event, which the rule for leases doesn't allow."""
    return rbac.rule([""], ["events"], ("create", "patch"))


def role_binding(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return rbac.role_binding(metadata(spec.name, spec.namespace, labels), spec.name, spec.name, spec.namespace)
