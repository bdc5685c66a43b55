"""ClusterRole and ClusterRoleBinding that let the endpoint picker check the tokens of clients that read its metrics.

Mirrors otterscale/model-operator internal/modelservice/epp_cluster_rbac.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping

from .. import rbac
from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def cluster_role(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    """The last rule lets Prometheus read the metrics with the service account's token."""
    rules = [
        rbac.rule(["authentication.k8s.io"], ["tokenreviews"], ["create"]),
        rbac.rule(["authorization.k8s.io"], ["subjectaccessreviews"], ["create"]),
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ]
    return rbac.cluster_role(metadata(cluster_rbac_name(spec.namespace, spec.name), "", labels), rules)


def cluster_role_binding(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    name = cluster_rbac_name(spec.namespace, spec.name)
    return rbac.cluster_role_binding(metadata(name, "", labels), name, spec.name, spec.namespace)


def cluster_rbac_name(namespace: str, picker: str) -> str:
    """Includes the namespace, so that pickers with equal names in two namespaces don't clash."""
    return f"{namespace}-{picker}"
