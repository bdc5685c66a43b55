"""Platform settings of the Gateway API Inference Extension family."""

from typing import Annotated

from pydantic import Field

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean, Text

PoolName = Annotated[Text, Field(pattern=r"^[^/]+/[^/]+$")]


class InferenceExtensionSettings(Spec):
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
    convertPools: Boolean = False
    """Convert v1alpha2 InferencePools to inference.networking.k8s.io/v1, and the objectives that refer to them."""
    knownPools: list[PoolName] = []
    """Pools that exist in the cluster without a manifest here, as namespace/name."""
