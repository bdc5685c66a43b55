"""BaseModel and ClusterBaseModel of ome.io: facts about a model that services refer to. They make no object here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.scalars import Boolean, FreeForm, Int32, PassedText, Text
from .fields import StorageSpec, Versioned
from .metadata import metadata_problems

CATEGORY = "models.ome.io/category"
"""Annotation of a model with its size category; SMALL without it."""


class BaseModelSpec(Spec):
    additionalMetadata: dict[Text, PassedText] = {}
    """Anything else worth knowing."""
    compartmentID: Text | None = None
    """OCI compartment."""
    disabled: Boolean | None = None
    """Whether the model may not be used."""
    displayName: Text | None = None
    """Name for people."""
    maxTokens: Int32 | None = None
    """Most tokens that the model takes."""
    modelArchitecture: Text | None = None
    """Class of the model, for example LlamaForCausalLM."""
    modelCapabilities: list[Text] = []
    """What the model can do."""
    modelConfiguration: FreeForm = None
    """Configuration as free JSON."""
    modelFormat: Versioned
    """File format of the weights."""
    modelFramework: Versioned | None = None
    """Library that the weights are for."""
    modelParameterSize: Text | None = None
    """Number of parameters, for example 8B."""
    modelType: Text | None = None
    """Architecture family, for example llama."""
    quantization: Text | None = None
    """fp8, fbgemm_fp8 or int4."""
    diffusionPipeline: FreeForm = None
    """Parts of a diffusion pipeline."""
    servingMode: list[Text] = []
    """On-demand or Dedicated."""
    storage: StorageSpec | None = None
    """Where the weights are."""
    vendor: Text | None = None
    """Who publishes the model."""
    version: Text | None = None
    """Version of the model."""


class BaseModel(Manifest):
    """A model of one namespace."""

    spec: BaseModelSpec
    """Facts about the model."""

    @property
    def path(self) -> str | None:
        """Where the weights are on a node."""
        return self.spec.storage.path if self.spec.storage else None

    @property
    def category(self) -> Any:
        return self.metadata.annotations.get(CATEGORY, "SMALL")

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)


class ClusterBaseModel(BaseModel):
    """A model for all namespaces."""
