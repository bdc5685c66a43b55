"""The kinds of manifest: InferenceService, the Model that it serves, and kinds that are not covered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ConfigDict

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.scalars import FreeForm
from .model_spec import ModelSpec
from .spec import InferenceServiceSpec
from .validation import inference_service as service_checks
from .validation import model as model_checks

API_VERSION = "inference.llmkube.dev/v1alpha1"


NOT_COVERED = {
    "GPUQuota": "it takes a controller that counts what services ask for, and an admission webhook",
    "LoRAAdapter": "it takes a controller that loads adapters into running servers",
    "ModelPool": "it takes a controller that swaps models in and out",
    "ModelRouter": "it takes LLMKube's router and a controller that configures it",
}
"""Further kinds of LLMKube 0.9.19, and why they are not covered."""


class Model(Manifest):
    """Where a model's weights are and which hardware it wants."""

    spec: ModelSpec
    status: FreeForm = None

    def observed(self, field: str) -> str:
        """A text of the status that a dumped Model carries, or an empty one."""
        value: Any = self.status.get(field) if isinstance(self.status, dict) else None
        return value if isinstance(value, str) else ""

    def problems(self) -> Iterator[Problem]:
        yield from model_checks.problems(self.name, self.spec)


class InferenceService(Manifest):
    """An inference server for one Model."""

    spec: InferenceServiceSpec

    def problems(self) -> Iterator[Problem]:
        yield from service_checks.problems(self.metadata, self.spec)


class NotCovered(Manifest):
    """An object of LLMKube that only its operator can serve: nothing is made of it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    def problems(self) -> Iterator[Problem]:
        message = f"{self.kind} is not covered here and has no effect: {NOT_COVERED[self.kind]}"
        yield Problem("kind", message, "warning", "not-covered")
