"""What is wrong with how an InferenceService is reached and measured: `endpoint`, `bindAddress`, `slo`."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ....findings import Problem
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.scalars import describe
from ..runtimes import RUNTIMES
from ..spec import InferenceServiceSpec


def endpoint_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    endpoint = spec.endpoint
    if endpoint.nodePort and endpoint.type != "NodePort":
        message = f"has no effect with type {endpoint.type}: set endpoint.type to NodePort"
        yield Problem("spec.endpoint.nodePort", message, "warning", "no-effect")
    if endpoint.gateway and not endpoint.gateway.enabled:
        message = "is false or not set, so nothing is made: set it to true, or remove endpoint.gateway"
        yield Problem("spec.endpoint.gateway.enabled", message, "warning", "no-effect")


def slo_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    slo, path = spec.slo, "spec.slo"
    if slo is None:
        return
    if not Decimal(50) <= Decimal(slo.objective) <= Decimal("99.999"):
        yield Problem(f"{path}.objective", f"must be between 50 and 99.999, got {slo.objective}", code="bad-value")
    if slo.indicator == "latency" and slo.latencyThreshold is None:
        yield Problem(f"{path}.latencyThreshold", "is required for indicator latency", code="required")
    if slo.indicator == "latency" and not RUNTIMES[spec.runtime].latency:
        message = f"latency can't be measured: runtime {spec.runtime} has no histogram of it; write availability"
        yield Problem(f"{path}.indicator", message, code="bad-value")
    if slo.name and not is_subdomain(slo.name):
        message = f"must be lower-case letters, digits, '-' and '.', got {describe(slo.name)}"
        yield Problem(f"{path}.name", message, code="bad-value")
