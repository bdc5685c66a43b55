"""Platform settings of the OME family."""

from __future__ import annotations

from typing import Literal

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean, Text


class OMESettings(Spec):
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
    profile: Literal["document", "upstream"] = "document"
    """document: the documented keys act. upstream: only what OME's own controllers read acts."""
    customKeys: dict[Text, Text] = {}
    """A team's own keys in OME's domains, each with what it means: they are not reported as unknown."""
