"""Generated from the models by `make generate`: inference_extension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class InferenceExtensionSettings(TypedDict):
    """InferenceExtensionSettings, as in its YAML."""

    ignoreUnknown: NotRequired[bool | None]
    """Warn about fields that the rules don't know instead of refusing them. Default: `false`."""
    convertPools: NotRequired[bool | None]
    """Convert v1alpha2 InferencePools to inference.networking.k8s.io/v1, and the objectives that refer to them.
    Default: `false`."""
    knownPools: NotRequired[Sequence[str] | None]
    """Pools that exist in the cluster without a manifest here, as namespace/name."""
