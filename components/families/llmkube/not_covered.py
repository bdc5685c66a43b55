"""LLMKube fields that have no effect here, each with its reason. All other fields of its CRDs take effect."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...findings import Problem
from ...kubernetes.model import Spec

_CONTROLLER = "it needs a controller that watches the pods"
_AGENT = "only LLMKube's agent on a Mac reads it"
_QUOTA = "it counts against a GPUQuota, which LLMKube's operator enforces"

SERVICE: Mapping[str, str] = {
    "disruption.protectStartup": f"{_CONTROLLER} to lift the protection once the pods are ready: see protectAlways",
    "evictionProtection": _AGENT,
    "hotCacheMaxSize": _AGENT,
    "maxPodLifetimeIdleTimeoutSeconds": _CONTROLLER,
    "maxPodLifetimeSeconds": f"{_CONTROLLER} and evicts old ones",
    "pagedSSDCacheDir": _AGENT,
    "pagedSSDCacheMaxSize": _AGENT,
    "resources.gpuSharing.memoryLimitGiB": _QUOTA,
    "rolloutPolicy.force": "updates never wait here",
    "rolloutPolicy.idleTimeoutSeconds": _CONTROLLER,
    "rolloutPolicy.waitForIdle": f"{_CONTROLLER} and holds an update until they are idle",
    "turboQuantBits": _AGENT,
}
"""Fields of an InferenceService's spec that are not covered; setting one is a warning."""

MODEL: Mapping[str, str] = {
    "hardware.memoryBudget": _AGENT,
    "hardware.memoryFraction": _AGENT,
}
"""The same for a Model's spec."""

NOTES: Mapping[str, Mapping[str, str]] = {
    "InferenceService": {"resources.gpuMemory": "it is informational, and LLMKube ignores it too"},
    "Model": {
        "hardware.gpu.memory": "it is informational, and matters only for a GPUQuota",
        "quantization": "it is informational, and LLMKube ignores it too",
        "resources.cpu": "it is informational, and LLMKube ignores it too",
        "resources.memory": "it is informational, and LLMKube ignores it too",
    },
}
"""Informational fields, which are not reported."""


def not_covered(spec: Spec, fields: Mapping[str, str]) -> Iterator[Problem]:
    """A warning for each of the fields that is set."""
    for path, reason in fields.items():
        if _value(spec, path) not in (None, "", False):
            message = f"is not covered here and has no effect, because {reason}"
            yield Problem(f"spec.{path}", message, "warning", "not-covered")


def _value(spec: Spec, path: str) -> Any:
    value: Any = spec
    for field in path.split("."):
        value = getattr(value, field) if isinstance(value, Spec) and field in value.model_fields_set else None
    return value
