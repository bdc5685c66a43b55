"""Labels of a ModelService's objects: which set reaches which object, as layers.

Targets of a role: ``deployment``, ``pods``, ``selector`` (of Deployment and PodMonitor), ``monitor``. Of the pool and
the route: ``pool``, ``pool-selector``. Of the endpoint picker: ``objects``, ``selector`` (of Service and
ServiceMonitor), ``workload-selector`` and ``pods`` of its Deployment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.propagation import Layer

NAME = "app.kubernetes.io/name"
COMPONENT = "app.kubernetes.io/component"
PART_OF = "app.kubernetes.io/part-of"
MANAGED_BY = "app.kubernetes.io/managed-by"
VERSION = "app.kubernetes.io/version"
ROLE = "llm-d.ai/role"
SERVER = "llm-d.ai/inference-serving"
SERVING = "llm-d.ai/inferenceServing"
MODEL = "llm-d.ai/model"
POOL = "inferencepool"
TRUE = "true"

DECODE = "decode"
PREFILL = "prefill"

COMPONENT_DECODE = "model-decode"
COMPONENT_PREFILL = "model-prefill"
COMPONENT_PICKER = "epp"
COMPONENTS = {DECODE: COMPONENT_DECODE, PREFILL: COMPONENT_PREFILL}

_OWNER = {PART_OF: "otterscale-system", MANAGED_BY: "model-operator"}


def role_layers(service: str, component: str, role: str, version: str) -> list[Layer]:
    """Labels of a serving role's Deployment, pods, selector and PodMonitor."""
    identity = {NAME: service, COMPONENT: component, **_OWNER}
    pods = {SERVING: TRUE, ROLE: role, MODEL: service}
    return [
        _owned(identity, "deployment", "pods", "selector", "monitor"),
        _version(version, "deployment", "pods", "monitor"),
        _owned(pods, "pods", "selector"),
        _owned({SERVER: TRUE}, "monitor"),
    ]


def pool_layers(service: str, version: str) -> list[Layer]:
    """Labels of InferencePool and HTTPRoute, and the pool's selector, which takes the pods of all roles."""
    return [
        _owned({NAME: service, **_OWNER}, "pool", "pool-selector"),
        _owned({COMPONENT: COMPONENT_PICKER}, "pool"),
        _version(version, "pool"),
        _owned({SERVING: TRUE, MODEL: service}, "pool-selector"),
    ]


def picker_layers(picker: str, version: str, labels: Mapping[str, Any]) -> list[Layer]:
    """Labels of the endpoint picker's objects, and the Service's selector; ``labels`` are the user's."""
    identity = {NAME: picker, COMPONENT: COMPONENT_PICKER, **_OWNER}
    return [
        _version(version, "objects"),
        Layer("labels", labels, frozenset(["objects"])),
        _owned(identity, "objects", "selector"),
    ]


def picker_pod_layers(
    picker: str, selector: Mapping[str, Any], labels: Mapping[str, Any], source: str = "labels"
) -> list[Layer]:
    """Labels of the picker's pods and its Deployment's selector, from those of the Service and of the objects.

    ``source`` says where ``labels`` are from.
    """
    return [
        _owned(selector, "workload-selector", "pods"),
        Layer(source, labels, frozenset(["pods"])),
        _owned({POOL: picker}, "workload-selector", "pods"),
    ]


def _owned(values: Mapping[str, str], *targets: str) -> Layer:
    return Layer("this program", values, frozenset(targets), owned=True)


def _version(version: str, *targets: str) -> Layer:
    return Layer("version", {VERSION: version} if version else {}, frozenset(targets))
