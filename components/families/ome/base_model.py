"""BaseModel and ClusterBaseModel of ome.io: facts about a model that services refer to. They make no object here.

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
"""Annotation of a model with its size category; SMALL without it."""


_CLAIMED = "/mnt/models"
"""Folder under which weights on claims are mounted, each under its model's name."""


class BaseModelSpec(Spec):
    additionalMetadata: dict[Text, PassedText] = {}
    """Anything else worth knowing."""
    apiCapabilities: list[Text] = []
    """APIs that a server of the model has."""
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
    modelFormat: Versioned | None = None
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
    def claim(self) -> StorageUri | None:
        """The claim that the weights are on (its namespace, name and path there), where they are on one."""
        return place_on_claim(self.spec.storage.storageUri if self.spec.storage else None)

    @property
    def repository(self) -> str | None:
        uri = self.spec.storage.storageUri if self.spec.storage else None
        return uri.removeprefix("hf://").partition("@")[0] if uri and uri.startswith("hf://") else None

    @property
    def path(self) -> str | None:
        """Where the weights are in the containers that mount them: for those on nodes, the same as there."""
        stated = self.spec.storage.path if self.spec.storage else None
        return stated or (f"{_CLAIMED}/{self.name}" if self.claim else None)

    def volume(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Volume and read-only mount of the weights; None where nothing says where they are."""
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
        """Labels by which OME's model agent marks the nodes that have the weights; none for weights on a claim."""
        namespace = "" if isinstance(self, ClusterBaseModel) else self.namespace
        return {} if self.claim else {names.node_label(self.name, namespace): "Ready"}

    @property
    def category(self) -> Any:
        return self.metadata.annotations.get(CATEGORY, "SMALL")

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        yield from uri_problems(self.spec.storage, "spec.storage")


class ClusterBaseModel(BaseModel):
    """A model for all namespaces."""
