"""Which LLMKube releases the rules describe, and what to say about fields of newer ones."""

from __future__ import annotations

from ...kubernetes.model import Spec

KNOWN = "LLMKube 0.8.1 to 0.9.19"


class LLMKubeSpec(Spec):
    """Base of the family's models: an unknown field is told with the releases that are known."""

    RELEASES = KNOWN


def newer_fields(*names: str) -> dict[str, str]:
    """Advice for fields that only a newer LLMKube has, by name."""
    advice = (
        "it belongs to a newer release than those; remove it, or set settings.llmkube.ignoreUnknown: true to go on "
        "without it"
    )
    return dict.fromkeys(names, advice)
