"""Objects that manifests may contain because services refer to them: they are read, never created.

A claim with model weights, a Gateway or a ServiceAccount belongs to the platform. Rules look at it (does the claim
exist, which keys does the Secret have), and the cluster is expected to have it.
"""

from typing import Any

from pydantic import ConfigDict

from .model import Manifest, ObjectMeta
from .scalars import FreeForm
from .values import without_empty


class _AnyMeta(ObjectMeta):
    model_config = ConfigDict(extra="allow", frozen=True)


class Existing(Manifest):
    """An object of the platform, as in its manifest."""

    model_config = ConfigDict(extra="allow", frozen=True)

    metadata: _AnyMeta
    status: FreeForm = None
    __pydantic_extra__: dict[str, FreeForm]

    def body(self, field: str) -> Any:
        """A top-level field such as ``spec`` or ``data``, or None."""
        return (self.__pydantic_extra__ or {}).get(field)

    def as_object(self) -> dict[str, Any]:
        """The object as in its manifest, without what only a live cluster adds."""
        metadata = self.metadata.model_dump(include={"name", "namespace", "labels", "annotations"})
        header = {"apiVersion": self.apiVersion, "kind": self.kind, "metadata": without_empty(metadata)}
        return {**header, **(self.__pydantic_extra__ or {})}


class Passed(Existing):
    """An object of a kind listed in ``settings.passthrough``, registered as in its manifest."""
