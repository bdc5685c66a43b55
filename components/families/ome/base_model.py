"""BaseModel and ClusterBaseModel of ome.io: descriptions of models that services refer to. They render no objects.

Mirrors sgl-project/ome pkg/controller/v1beta1/basemodel/controller.go at v0.1.5.
"""

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.scalars import Boolean, FreeForm, Int32, PassedText, Text
from . import names
from .fields import StorageSpec, StorageUri, Versioned, place_on_claim, uri_problems
from .metadata import metadata_problems

CATEGORY = "models.ome.io/category"


_CLAIMED = "/mnt/models"
"""Weights on a claim are mounted in this folder, under the model's name."""


class BaseModelSpec(Spec):
    additionalMetadata: dict[Text, PassedText] = {}
    """Additional metadata, as free keys and values."""
    apiCapabilities: list[Text] = []
    """APIs that a server of the model supports."""
    compartmentID: Text | None = None
    """OCI compartment."""
    disabled: Boolean | None = None
    """If true, services can't use the model."""
    displayName: Text | None = None
    """Display name."""
    maxTokens: Int32 | None = None
    """Maximum number of tokens that the model supports."""
    modelArchitecture: Text | None = None
    """Class of the model, for example LlamaForCausalLM."""
    modelCapabilities: list[Text] = []
    """Model configuration as free-form JSON."""
    modelConfiguration: FreeForm = None
    """Configuration as free JSON."""
    modelFormat: Versioned | None = None
    """File format of the weights."""
    modelFramework: Versioned | None = None
    """Library that loads the weights."""
    modelParameterSize: Text | None = None
    """Number of parameters, for example 8B."""
    modelType: Text | None = None
    """Architecture family, for example llama."""
    quantization: Text | None = None
    """fp8, fbgemm_fp8 or int4."""
    diffusionPipeline: FreeForm = None
    """Components of a diffusion pipeline."""
    servingMode: list[Text] = []
    """On-demand or Dedicated."""
    storage: StorageSpec | None = None
    """Where the weights are stored."""
    vendor: Text | None = None
    """Publisher of the model."""
    version: Text | None = None
    """Version of the model."""


class BaseModel(Manifest):
    """A model that one namespace can use."""

    spec: BaseModelSpec
    """Description of the model."""

    @property
    def claim(self) -> StorageUri | None:
        """The ``pvc://`` URI of the weights (namespace, claim and path); None if they are not on a claim."""
        return place_on_claim(self.spec.storage.storageUri if self.spec.storage else None)

    @property
    def repository(self) -> str | None:
        uri = self.spec.storage.storageUri if self.spec.storage else None
        return uri.removeprefix("hf://").partition("@")[0] if uri and uri.startswith("hf://") else None

    @property
    def path(self) -> str | None:
        """Path of the weights in containers. For weights on the node, it equals the path on the node."""
        stated = self.spec.storage.path if self.spec.storage else None
        return stated or (f"{_CLAIMED}/{self.name}" if self.claim else None)

    def volume(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Volume and read-only mount of the weights; None if their path is unknown."""
        if not self.path:
            return None
        name, claim = names.volume(self.name), self.claim
        mount = {"name": name, "mountPath": self.path, "readOnly": True}
        if claim is None:
            return {"name": name, "hostPath": {"path": self.path}}, mount
        volume = {"name": name, "persistentVolumeClaim": {"claimName": claim["claim"]}}
        return volume, {**mount, "subPath": claim["path"]}

    @property
    def node_labels(self) -> dict[str, str]:
        """Labels that OME's model agent puts on nodes that have the weights; empty for weights on a claim."""
        namespace = "" if isinstance(self, ClusterBaseModel) else self.namespace
        return {} if self.claim else {names.node_label(self.name, namespace): "Ready"}

    @property
    def category(self) -> Any:
        return self.metadata.annotations.get(CATEGORY, "SMALL")

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        yield from uri_problems(self.spec.storage, "spec.storage")


class ClusterBaseModel(BaseModel):
    """A model that all namespaces can use."""
