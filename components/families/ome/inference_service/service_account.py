"""The ServiceAccount of a router."""

from collections.abc import Mapping
from typing import Any

from ....kubernetes.objects import Object
from .component import Component


def account_of(component: Component) -> str:
    """The account that a router's pods run as."""
    return component.spec.serviceAccountName or component.name


def service_account(metadata: Mapping[str, Any]) -> Object:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": dict(metadata)}
