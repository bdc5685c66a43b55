"""Labels of a ModelService's objects, as layers that say which labels reach which object.

Targets of a role: ``deployment``, ``pods``, ``selector`` (of Deployment and PodMonitor), ``monitor``. Targets of the
pool and the route: ``pool``, ``pool-selector``.
"""

from collections.abc import Mapping
from typing import Any

from ...kubernetes.endpoint_picker.labels import COMPONENT_PICKER, OWNER, owned, version_layer
from ...kubernetes.labels import COMPONENT, KUEUE, NAME
from ...kubernetes.propagation import Layer

ROLE = "llm-d.ai/role"
SERVER = "llm-d.ai/inference-serving"
SERVING = "llm-d.ai/inferenceServing"
MODEL = "llm-d.ai/model"
TRUE = "true"

DECODE = "decode"
PREFILL = "prefill"

COMPONENT_DECODE = "model-decode"
COMPONENT_PREFILL = "model-prefill"
COMPONENTS = {DECODE: COMPONENT_DECODE, PREFILL: COMPONENT_PREFILL}


def role_layers(service: str, component: str, role: str, version: str, labels: Mapping[str, Any]) -> list[Layer]:
    """Labels of a serving role's Deployment, pods, selector and PodMonitor, including Kueue's from the manifest's
    ``labels``."""
    identity = {NAME: service, COMPONENT: component, **OWNER}
    pods = {SERVING: TRUE, ROLE: role, MODEL: service}
    return [
        owned(identity, "deployment", "pods", "selector", "monitor"),
        version_layer(version, "deployment", "pods", "monitor"),
        Layer("metadata.labels", labels, frozenset(["deployment", "pods"]), (KUEUE,)),
        owned(pods, "pods", "selector"),
        owned({SERVER: TRUE}, "monitor"),
    ]


def pool_layers(service: str, version: str) -> list[Layer]:
    """Labels of InferencePool and HTTPRoute, and the pool's selector, which matches the pods of all roles."""
    return [
        owned({NAME: service, **OWNER}, "pool", "pool-selector"),
        owned({COMPONENT: COMPONENT_PICKER}, "pool"),
        version_layer(version, "pool"),
        owned({SERVING: TRUE, MODEL: service}, "pool-selector"),
    ]
