"""llama.cpp's speculative decoding: its methods, and which of them take a draft model."""

_ALIASES = {"mtp": "draft-mtp", "draft": "draft-simple", "disabled": "none"}

DRAFT_TYPES = frozenset(["draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark"])
"""Methods that need the weights of a draft model; `draft-mtp` may have some."""


def speculative_type(given: str) -> str:
    """A method by llama.cpp's own name, `none` for no speculative decoding."""
    return _ALIASES.get(given, given)


def takes_draft(given: str) -> bool:
    """Whether a method can have the weights of a draft model."""
    return speculative_type(given) in DRAFT_TYPES | {"draft-mtp"}
