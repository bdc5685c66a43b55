"""Kubernetes objects for tests of rules, and what a rule says of them."""

from collections.abc import Mapping
from typing import Any

from modelservices.policy.rule import ObjectRule, StackRule

MAIN = "spec.template.spec.containers[0]"
"""Where the container of a workload below stands."""


def container(name: str = "server", gpus: Any = None, **fields: Any) -> dict[str, Any]:
    limited = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus is not None else {}
    return {"name": name, "image": "example/server:1", **limited, **fields}


def template(*containers: dict[str, Any], **pod: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": list(containers), **pod}}


def workload(*containers: dict[str, Any], kind: str = "Deployment", name: str = "web", **spec: Any) -> dict[str, Any]:
    """A workload with one container, or with those given."""
    return obj(kind, name, "apps/v1", template=template(*(containers or [container()])), **spec)


def pod_of(**pod: Any) -> dict[str, Any]:
    """A workload whose pod has these fields."""
    return obj("Deployment", "web", "apps/v1", template=template(container(), **pod))


def obj(kind: str, name: str = "web", api_version: str = "v1", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "n"}, "spec": spec}


def said(rule: ObjectRule, thing: dict[str, Any], parameters: Mapping[str, Any] | None = None) -> list[str]:
    """The rule's sentences about an object."""
    return list(rule.sentences(thing, rule.read(parameters or {})))


def said_of_all(rule: StackRule, things: list[dict[str, Any]], parameters: Mapping[str, Any]) -> list[str]:
    """The rule's sentences about a stack."""
    return list(rule.sentences(things, rule.read(parameters)))
