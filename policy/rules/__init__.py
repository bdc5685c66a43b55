"""All rules of the pack. A new one is a module here (or a function in one) and a row in this table."""

from ..rule import Rule
from .containers import PRIORITY_CLASS, PRIVILEGED, REQUESTS
from .gpus import GPU_BUDGET, GPU_LIMITS
from .images import IMAGE_REGISTRY, IMAGE_TAG
from .labels import REQUIRED_LABELS
from .ome import OME_KEYS, OME_KEYS_ADVICE
from .secrets import LITERAL_SECRET

RULES: tuple[Rule, ...] = (
    OME_KEYS,
    OME_KEYS_ADVICE,
    REQUIRED_LABELS,
    IMAGE_TAG,
    IMAGE_REGISTRY,
    GPU_LIMITS,
    GPU_BUDGET,
    REQUESTS,
    PRIVILEGED,
    LITERAL_SECRET,
    PRIORITY_CLASS,
)
