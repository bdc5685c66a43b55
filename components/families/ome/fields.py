"""Field types that several kinds of OME share."""

from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.model import Spec
from ...kubernetes.scalars import FreeForm, Int32, Name, PassedText, Strings, Text

Count = Annotated[Int32, Field(ge=0)]
"""A number of things; 0 is fine."""


class StorageSpec(Spec):
    """Where a model, a data set or results are."""

    HINTS = {"storageKey": "it is called key in OME's CRD"}

    path: Text | None = None
    """Absolute path on the node (of a model)."""
    parameters: dict[Text, PassedText] = {}
    """Access settings of the storage: region, auth, profile, …"""
    key: Text | None = None
    """Key of the Secret with credentials."""
    storageUri: Text | None = None
    """oci://n/<namespace>/b/<bucket>/o/<path>, pvc://<claim>/<path>, s3://<bucket>[@<region>]/<path>, hf://…, …"""
    schemaPath: Text | None = None
    """Path of the schema file."""
    nodeSelector: Strings | None = None
    """Nodes that the model is stored on."""
    downloadPolicy: Literal["AlwaysDownload", "ReuseIfExists"] | None = None
    """Whether OME's model agent fetches what a node has already; it reads this in the cluster."""
    nodeAffinity: FreeForm = None
    """The same as affinity rules."""


class Versioned(Spec):
    """A name with an optional version: a model format or framework."""

    name: Name
    """Name, for example safetensors or transformers."""
    version: Text | None = None
    """major, major.minor or major.minor.patch."""
    operator: Text | None = None
    """How versions are compared."""
    weight: Int32 | None = None
    """Weight in the selection of a runtime."""
