"""ServiceAccount of the endpoint picker's pods, and how bindings refer to it."""

from __future__ import annotations

from collections.abc import Mapping

from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def service_account(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(spec.name, spec.namespace, labels),
    }


def account_subject(spec: EndpointPickerSpec) -> dict[str, str]:
    return {"kind": "ServiceAccount", "name": spec.name, "namespace": spec.namespace}
