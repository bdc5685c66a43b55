"""Label layers of an endpoint picker's objects.

Targets: ``objects``, ``selector`` (of Service and ServiceMonitor), ``workload-selector`` and ``pods`` (of the
Deployment).
"""

from collections.abc import Mapping
from typing import Any

from ..labels import COMPONENT, MANAGED_BY, NAME, PART_OF, VERSION
from ..propagation import Layer

COMPONENT_PICKER = "epp"
POOL = "inferencepool"

OWNER = {PART_OF: "otterscale-system", MANAGED_BY: "model-operator"}
"""Labels that OtterScale's operator puts on its objects. Selectors contain them, so pickers that a program creates
itself keep them."""


def picker_layers(picker: str, version: str, labels: Mapping[str, Any]) -> list[Layer]:
    """Labels of the picker's objects and of the Service's selector; ``labels`` are the user's."""
    identity = {NAME: picker, COMPONENT: COMPONENT_PICKER, **OWNER}
    return [
        version_layer(version, "objects"),
        Layer("labels", labels, frozenset(["objects"])),
        owned(identity, "objects", "selector"),
    ]


def picker_pod_layers(
    picker: str, selector: Mapping[str, Any], labels: Mapping[str, Any], source: str = "labels"
) -> list[Layer]:
    """Labels of the picker's pods and of its Deployment's selector.

    ``selector`` is the Service's selector. ``labels`` are the labels of the objects, and ``source`` says where they
    come from.
    """
    return [
        owned(selector, "workload-selector", "pods"),
        Layer(source, labels, frozenset(["pods"])),
        owned({POOL: picker}, "workload-selector", "pods"),
    ]


def owned(values: Mapping[str, str], *targets: str) -> Layer:
    """A layer of labels that selectors rely on."""
    return Layer("this program", values, frozenset(targets), owned=True)


def version_layer(version: str, *targets: str) -> Layer:
    """A layer with the version label; empty for an empty version."""
    return Layer("version", {VERSION: version} if version else {}, frozenset(targets))
