"""A v1alpha2 InferencePool as one of v1. The kinds are in different groups, so the result is a new object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from .spec import AlphaInferencePool, AlphaPoolSpec, ExtensionRef

PICKER_PORT = 9002
"""Where gateways look for an endpoint picker whose Service is named without a port."""
MAX_LABELS = 64


def conversion_problems(pool: AlphaInferencePool) -> Iterator[Problem]:
    """What v1alpha2 allows and v1 does not."""
    if pool.spec is None:
        yield Problem("spec", "is required to convert the pool to v1 (settings.inferenceExtension.convertPools)")
    elif not 1 <= len(pool.spec.selector) <= MAX_LABELS:
        message = f"must have 1 to {MAX_LABELS} labels in a v1 pool (settings.inferenceExtension.convertPools)"
        yield Problem("spec.selector", message)


def converted_spec(spec: AlphaPoolSpec) -> dict[str, Any]:
    """The spec of the v1 pool that does the same."""
    return {
        "endpointPickerRef": _picker(spec.extensionRef),
        "selector": {"matchLabels": dict(spec.selector)},
        "targetPorts": [{"number": spec.targetPortNumber}],
    }


def _picker(extension: ExtensionRef) -> dict[str, Any]:
    port = extension.portNumber or (PICKER_PORT if extension.kind == "Service" else None)
    picker = extension.model_dump(exclude={"portNumber"})
    return {**picker, "port": {"number": port}} if port else picker
