"""Permissions of a router, which looks up the pods that it routes to.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/rbac/rbac_reconciler.go at v0.1.5.
Decisions: M6 (docs/decisions).
"""

from collections.abc import Iterator

from ....kubernetes import rbac
from ....kubernetes.objects import Object
from .component import Component
from .context import Context
from .labels import described


def account_of(component: Component) -> str:
    """The account that a router's pods run as."""
    return component.spec.serviceAccountName or component.name


def pod_reader(context: Context, component: Component) -> Iterator[tuple[str, Object]]:
    """A role that lets the router watch pods, its binding, and the router's account unless it names another one."""
    name, namespace, account = component.name, context.service.namespace, account_of(component)
    metadata = {"name": name, "namespace": namespace, "labels": described(context, component, "access")["labels"]}
    if account == name:
        yield "service-account", rbac.service_account(metadata)
    yield "role", rbac.role(metadata, [rbac.rule([""], ["pods"], ("get", "list", "watch"))])
    yield "role-binding", rbac.role_binding(metadata, name, account, namespace)
