"""DestinationRule: Istio's gateway talks TLS to the picker and accepts its self-signed certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def destination_rule(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return picker_destination_rule(metadata(spec.name, spec.namespace, labels))


def picker_destination_rule(metadata: dict[str, Any]) -> Object:
    """For the picker's Service, which has the rule's name and namespace."""
    return {
        "apiVersion": "networking.istio.io/v1beta1",
        "kind": "DestinationRule",
        "metadata": metadata,
        "spec": {
            "host": f"{metadata['name']}.{metadata['namespace']}.svc.cluster.local",
            "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
        },
    }
