"""The kinds of manifest: InferenceService, the Model that it serves, and kinds that are not covered."""

from collections.abc import Iterator

from ...findings import Problem
from ...kubernetes.model import Manifest
from ...kubernetes.scalars import FreeForm
from ...kubernetes.values import value_at
from .. import not_covered
from .model_spec import ModelSpec
from .spec import InferenceServiceSpec
from .validation import inference_service as service_checks
from .validation import model as model_checks

API_VERSION = "inference.llmkube.dev/v1alpha1"


class Model(Manifest):
    """Source of a model's weights, and the hardware that it needs."""

    spec: ModelSpec
    status: FreeForm = None

    def observed(self, *path: str) -> str:
        """A string in the status of a dumped Model, or an empty one."""
        value = value_at(self.status, *path)
        return value if isinstance(value, str) else ""

    def problems(self) -> Iterator[Problem]:
        yield from model_checks.problems(self.name, self.spec)


class InferenceService(Manifest):
    """An inference server for one Model."""

    spec: InferenceServiceSpec

    def problems(self) -> Iterator[Problem]:
        yield from service_checks.problems(self.metadata, self.spec)


class NotCovered(not_covered.NotCovered):
    """Kinds of LLMKube 0.9.19 that are not covered."""

    REASONS = {
        "GPUQuota": "it needs a controller that counts what services request, and an admission webhook",
        "LoRAAdapter": "it needs a controller that loads adapters into running servers",
        "ModelPool": "it needs a controller that swaps models in and out",
        "ModelRouter": "it needs LLMKube's router and a controller that configures it",
    }
