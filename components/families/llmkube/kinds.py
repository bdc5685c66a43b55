"""The two kinds of manifest: InferenceService and the Model that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.scalars import FreeForm
from .model_spec import ModelSpec
from .spec import InferenceServiceSpec
from .validation import inference_service as service_checks
from .validation import model as model_checks

API_VERSION = "inference.llmkube.dev/v1alpha1"


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
