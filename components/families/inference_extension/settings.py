"""Platform settings of the Gateway API Inference Extension family."""

from __future__ import annotations

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean


class InferenceExtensionSettings(Spec):
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
