"""ClusterRole and ClusterRoleBinding with which the endpoint picker checks the tokens of those who read its metrics."""

from __future__ import annotations

from collections.abc import Mapping

from .. import rbac
from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def cluster_role(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    """The last rule is for the account's own token, with which Prometheus reads the metrics."""
    rules = [
        rbac.rule(["authentication.k8s.io"], ["tokenreviews"], ["create"]),
        rbac.rule(["authorization.k8s.io"], ["subjectaccessreviews"], ["create"]),
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ]
    return rbac.cluster_role(metadata(_name(spec), "", labels), rules)


def cluster_role_binding(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    described = metadata(_name(spec), "", labels)
    return rbac.cluster_role_binding(described, _name(spec), spec.name, spec.namespace)


def _name(spec: EndpointPickerSpec) -> str:
    """The namespace keeps equal names of two namespaces apart."""
    return f"{spec.namespace}-{spec.name}"
