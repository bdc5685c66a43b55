"""ServiceMonitor for the picker's metrics. Prometheus sends the token if one is needed and available.

Mirrors otterscale/model-operator internal/modelservice/epp_service_monitor.go at v0.9.0-alpha.2.
Decisions: O3 (docs/decisions).
"""

from collections.abc import Mapping
from typing import Any

from ..metadata import metadata
from ..objects import Object
from .spec import METRICS_PORT_NAME, EndpointPickerSpec
from .token_secret import has_token, token_secret_name


def service_monitor(spec: EndpointPickerSpec, labels: Mapping[str, str], selector: Mapping[str, str]) -> Object:
    endpoint: dict[str, Any] = {"port": METRICS_PORT_NAME, "interval": "30s"}
    if has_token(spec):
        endpoint["authorization"] = {"credentials": {"name": token_secret_name(spec.name), "key": "token"}}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": metadata(spec.name, spec.namespace, labels),
        "spec": {"selector": {"matchLabels": dict(selector)}, "endpoints": [endpoint]},
    }
