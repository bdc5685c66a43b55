"""ModelServices for tests: small ones whose pods become ready at once on simulated nodes."""

from typing import Any

import yaml

from tests.integration.stacks import Stack

PICKER: dict[str, Any] = {"endpointPicker": {}}
"""An `inferencePool` with all defaults."""


def model_service(name: str = "chat", *, namespace: str | None = None, **spec: Any) -> str:
    """The YAML document of a decode-only service; ``spec`` adds fields or overrides values."""
    fields = {
        "model": {"name": f"example/{name}", "image": f"registry.example.com/{name}:1"},
        "engine": {},
        "accelerator": {"type": "cpu"},
        "decode": {},
        **spec,
    }
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    document = {"apiVersion": "model.otterscale.io/v1alpha1", "kind": "ModelService", "metadata": metadata}
    return f"---\n{yaml.safe_dump(document | {'spec': fields}, sort_keys=False)}"


def configure(stack: Stack, **settings: Any) -> None:
    """Sets the stack's OtterScale settings, replacing earlier ones."""
    stack.config({"settings": {"otterscale": settings}})
