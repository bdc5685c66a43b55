"""What a router may do: find the pods that it routes to.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/rbac/rbac_reconciler.go at v0.1.5.
Decisions: M6 (docs/decisions).
"""

from collections.abc import Iterator
from typing import Any

from ....kubernetes import rbac
from ....kubernetes.objects import Object
from .component import Component
from .labels import Identity, labels_of
from .service_account import account_of, service_account


def pod_reader(identity: Identity, component: Component) -> Iterator[tuple[str, Object]]:
    """The router's account, unless it names another one, with a role that lets it watch pods."""
    metadata: dict[str, Any] = {
        "name": component.name,
        "namespace": identity.service.namespace,
        "labels": labels_of(identity, component, "access"),
    }
    account = account_of(component)
    if account == component.name:
        yield "service-account", service_account(metadata)
    yield "role", rbac.role(metadata, [rbac.rule([""], ["pods"], ("get", "list", "watch"))])
    yield "role-binding", rbac.role_binding(metadata, component.name, account, identity.service.namespace)
