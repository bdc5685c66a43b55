"""DestinationRule that makes Istio's gateway use TLS to the picker and accept its self-signed certificate.

Mirrors otterscale/model-operator internal/modelservice/destination_rule.go at v0.9.0-alpha.2.
"""

from typing import Any

from ..objects import Object


def destination_rule(metadata: dict[str, Any]) -> Object:
    """For the picker's Service, which has the same name and namespace as the rule."""
    return {
        "apiVersion": "networking.istio.io/v1beta1",
        "kind": "DestinationRule",
        "metadata": metadata,
        "spec": {
            "host": f"{metadata['name']}.{metadata['namespace']}.svc.cluster.local",
            "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
        },
    }
