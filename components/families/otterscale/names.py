"""Every name of a ModelService's objects. Routes, pools, monitors and arguments refer to them by these functions.

``service`` is the ModelService's name, ``picker`` that of its endpoint picker. Nothing here shortens a name: one over
its limit is refused (validation.py).

Decisions: O2 (docs/decisions).
"""

import re

CLUSTER_RBAC_FINALIZER = "model.otterscale.io/epp-cluster-rbac"
"""What upstream's operator puts on each ModelService, to delete the cluster-scoped objects; Pulumi needs none."""


def sanitize(text: str) -> str:
    """``text`` as a DNS-1035 label of any length: dots and underscores become dashes, what is not ASCII is dropped."""
    kept = "".join(_kept(character) for character in text).strip("-")
    label = re.sub("-+", "-", kept) or "modelservice"
    return f"m-{label}" if label[0].isdigit() else label


def _kept(character: str) -> str:
    if character in "._-":
        return "-"
    return character.lower() if character.isascii() and character.isalnum() else ""


def role_name(service: str, role: str) -> str:
    """Deployment and PodMonitor of a role."""
    return f"{service}-{role}"


def pool_name(service: str) -> str:
    return service


def route_name(service: str) -> str:
    return service


def picker_name(service: str) -> str:
    """Deployment, Service, ServiceAccount, Role, RoleBinding, ServiceMonitor and DestinationRule of the picker."""
    return f"{sanitize(service)}-epp"
