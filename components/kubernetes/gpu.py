"""GPUs in pods: the resource that each vendor's device plugin offers, and the taint of GPU nodes."""

from typing import Any

NVIDIA = "nvidia.com/gpu"

RESOURCES = {"nvidia": NVIDIA, "amd": "amd.com/gpu", "intel": "gpu.intel.com/i915"}
"""Vendor to the extended resource of its usual device plugin."""

MIG_PREFIX = "nvidia.com/mig-"
"""Prefix of NVIDIA's resources for partitions of a GPU; the MIG profile follows."""

RENDER_DEVICE = "devic.es/dri-render"
"""Resource of the generic device plugin that exposes a node's render devices."""


def toleration(key: str) -> dict[str, Any]:
    """Tolerates the taint ``<key>=present:NoSchedule`` of GPU nodes."""
    return {"key": key, "operator": "Equal", "value": "present", "effect": "NoSchedule"}
