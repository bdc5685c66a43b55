"""The OtterScale family: its kind, and the plan of a stack's ModelServices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Rendered
from .. import Plan
from .render import render_model_service
from .spec import API_VERSION, ModelService

if TYPE_CHECKING:
    from ...planning.settings import Settings

KINDS = {(API_VERSION, "ModelService"): ModelService}


def plan(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    own = [manifest for manifest in manifests if isinstance(manifest, ModelService)]
    services = [(service, render_model_service(service, settings.otterscale)) for service in own]
    return Plan(services=list(services), problems=list(_route_conflicts(services)))


def _route_conflicts(services: Sequence[tuple[ModelService, Rendered]]) -> Iterator[tuple[Manifest, Problem]]:
    """Routes of two namespaces that match the same requests at the same gateway: the older one gets them all."""
    seen: dict[tuple[str, ...], ModelService] = {}
    for service, rendered in services:
        route = rendered.objects.get("route")
        if route is None:
            continue
        parent = route["spec"]["parentRefs"][0]
        hosts = [name for name in route["spec"].get("hostnames", [""]) if isinstance(name, str)]
        for host in hosts:
            match = (service.name, parent["name"], parent.get("namespace", service.namespace), host)
            other = seen.setdefault(match, service)
            if other is not service:
                message = (
                    f"its route matches the same requests at Gateway {match[2]}/{match[1]} as that of ModelService "
                    f"{other.namespace}/{other.name}, and the older one gets them: give each its own hostnames or name"
                )
                yield service, Problem("spec.httpRoute", message, "warning", "route-conflict")
                break
