"""Platform settings of the OME family."""

from __future__ import annotations

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean


class OMESettings(Spec):
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
