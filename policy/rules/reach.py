"""How far a stack reaches in its cluster: the namespaces that it writes to, and the accounts that its pods run as."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Name

from ..rule import ObjectRule, Parameters, StackRule, name_of

_DEFAULT = "default"
"""The account of a pod that names none. Every namespace has it."""


class Namespaces(Parameters):
    allowed: list[Name] = []
    """Namespaces that objects may be in (`*` for any text); any by default."""


class ServiceAccounts(Parameters):
    accounts: list[Name] = []
    """Accounts that pods may run as besides those that the stack creates, as `namespace/name` (`*` for any text)."""


def check_namespaces(obj: Object, parameters: Namespaces) -> Iterator[Problem]:
    namespace = obj["metadata"].get("name" if obj["kind"] == "Namespace" else "namespace")
    if not isinstance(namespace, str) or not namespace or not parameters.allowed:
        return
    if not any(fnmatchcase(namespace, allowed) for allowed in parameters.allowed):
        allowed = ", ".join(parameters.allowed)
        message = f"{namespace} is not among the allowed namespaces ({allowed}); choose one of them"
        yield Problem("metadata.name" if obj["kind"] == "Namespace" else "metadata.namespace", message)


def check_accounts(objects: list[Object], parameters: ServiceAccounts) -> Iterator[str]:
    made = {_account(obj, str(obj["metadata"].get("name"))) for obj in objects if obj["kind"] == "ServiceAccount"}
    for obj in objects:
        for path, name in _accounts(obj):
            account = _account(obj, name)
            allowed = any(fnmatchcase(account, pattern) for pattern in parameters.accounts)
            if name != _DEFAULT and account not in made and not allowed:
                yield (
                    f"{name_of(obj)}: {path}: runs as the account {account}, which the stack does not make; leave it "
                    "out, or let the platform list it under service-accounts.accounts"
                )


def _accounts(obj: Object) -> Iterator[tuple[str, str]]:
    """Path and name of each pod's account. The API server fills both of its fields."""
    for pod in pods(obj):
        names = ((field, pod.spec.get(field)) for field in ("serviceAccount", "serviceAccountName"))
        fields = {name: field for field, name in names if isinstance(name, str) and name}
        yield from ((f"{pod.path}.{field}", name) for name, field in fields.items())


def _account(obj: Object, name: str) -> str:
    return f"{obj['metadata'].get('namespace', '')}/{name}"


NAMESPACES = ObjectRule("namespaces", "Objects stand in allowed namespaces.", "mandatory", Namespaces, check_namespaces)
SERVICE_ACCOUNTS = StackRule(
    "service-accounts", "Pods run as accounts of their stack.", "mandatory", ServiceAccounts, check_accounts
)
