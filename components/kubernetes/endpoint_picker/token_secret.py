"""Secret that Kubernetes fills with a token of the picker's ServiceAccount. Prometheus reads the metrics with it.

Mirrors otterscale/model-operator internal/modelservice/epp_secret.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping

from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def token_secret_name(picker: str) -> str:
    return f"{picker}-sa-metrics-reader-secret"


def has_token(spec: EndpointPickerSpec) -> bool:
    """GKE's monitoring needs no token."""
    return spec.metricsReader and spec.metricsEndpointAuth and spec.provider != "gke"


def token_secret(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    described = metadata(token_secret_name(spec.name), spec.namespace, labels)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**described, "annotations": {"kubernetes.io/service-account.name": spec.name}},
        "type": "kubernetes.io/service-account-token",
    }
