"""Manifests for tests: short services that become ready at once on simulated nodes."""

from typing import Any

import yaml

API_VERSION = "inference.llmkube.dev/v1alpha1"


def service(name: str = "web", model: str = "bge", **spec: Any) -> str:
    """An InferenceService without a download or claim; ``spec`` adds fields."""
    fields = {"modelRef": model, "runtime": "generic", "image": "example/server:1", "skipModelInit": True, **spec}
    return manifest("InferenceService", name, fields)


def model(name: str = "bge", **spec: Any) -> str:
    """A Model that servers load by themselves."""
    return manifest("Model", name, {"source": f"example/{name}", "format": "safetensors", **spec})


def manifest(kind: str, name: str, spec: dict[str, Any]) -> str:
    """One YAML document, with a leading separator."""
    document = {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
    return f"---\n{yaml.safe_dump(document, sort_keys=False)}"
