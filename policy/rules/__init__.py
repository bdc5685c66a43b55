"""All rules of the pack. A new rule is a module here (or a function in one) and a row in this table."""

from ..rule import Rule
from .containers import PRIORITY_CLASS, REQUESTS
from .gpus import GPU_BUDGET, GPU_LIMITS
from .host import HOST_NAMESPACES, HOST_PATH, HOST_PORT, NODE_NAME
from .images import IMAGE_REGISTRY, IMAGE_TAG
from .labels import REQUIRED_LABELS
from .ome import OME_KEYS, OME_KEYS_ADVICE
from .reach import NAMESPACES, SERVICE_ACCOUNTS
from .secrets import LITERAL_SECRET
from .security_context import CAPABILITIES, CONFINEMENT, PRIVILEGED, PROBE_HOST

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
    CAPABILITIES,
    CONFINEMENT,
    PROBE_HOST,
    HOST_PATH,
    HOST_NAMESPACES,
    HOST_PORT,
    NODE_NAME,
    SERVICE_ACCOUNTS,
    NAMESPACES,
    LITERAL_SECRET,
    PRIORITY_CLASS,
)
