"""Which LLMKube releases the rules describe, and what to say about fields of newer ones."""

from __future__ import annotations

KNOWN = "LLMKube 0.8.1 to 0.9.19"


def newer_fields(*names: str) -> dict[str, str]:
    """Advice for fields that only a newer LLMKube has, by name."""
    advice = (
        f"it belongs to a newer release than the ones known here ({KNOWN}); remove it, or set "
        "settings.llmkube.ignoreUnknown: true to go on without it"
    )
    return dict.fromkeys(names, advice)
