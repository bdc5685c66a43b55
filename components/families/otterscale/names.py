"""The names of a ModelService's objects. Routes, pools, monitors and arguments refer to them through these functions.

``service`` is the ModelService's name. Names are never shortened: a name over its limit is rejected (validation.py).

Decisions: O2 (docs/decisions).
"""

import re

CLUSTER_RBAC_FINALIZER = "model.otterscale.io/epp-cluster-rbac"
"""Finalizer that upstream's operator puts on each ModelService to delete its cluster-scoped objects; Pulumi needs
none."""


def sanitize(text: str) -> str:
    """``text`` as a DNS-1035 label of any length: dots and underscores become dashes, other special characters are
    dropped."""
    kept = "".join(_kept(character) for character in text).strip("-")
    label = re.sub("-+", "-", kept) or "modelservice"
    return f"m-{label}" if label[0].isdigit() else label


def _kept(character: str) -> str:
    if character in "._-":
        return "-"
    return character.lower() if character.isascii() and character.isalnum() else ""


def role_name(service: str, role: str) -> str:
    """The name of a role's Deployment and PodMonitor."""
    return f"{service}-{role}"


def pool_name(service: str) -> str:
    return service


def route_name(service: str) -> str:
    return service


def picker_name(service: str) -> str:
    """The name of the picker's Deployment, Service, ServiceAccount, Role, RoleBinding, ServiceMonitor and
    DestinationRule."""
    return f"{sanitize(service)}-epp"
