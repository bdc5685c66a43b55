"""Which LLMKube releases the rules describe."""

from ...kubernetes.model import Spec

KNOWN = "LLMKube 0.8.1 to 0.9.19"


class LLMKubeSpec(Spec):
    """Base of the family's models: an unknown field is refused by naming the releases that are known."""

    RELEASES = KNOWN
