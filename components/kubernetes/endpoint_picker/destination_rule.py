"""DestinationRule: Istio's gateway talks TLS to the picker and accepts its self-signed certificate."""

from __future__ import annotations

from collections.abc import Mapping

from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def destination_rule(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "networking.istio.io/v1beta1",
        "kind": "DestinationRule",
        "metadata": metadata(spec.name, spec.namespace, labels),
        "spec": {
            "host": f"{spec.name}.{spec.namespace}.svc.cluster.local",
            "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
        },
    }
