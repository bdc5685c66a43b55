"""Which objects a kind refers to by name or by labels, beyond what its pods need: tables by kind.

The objects may be of any shape (a manifest of a kind that is only passed through): what is not there as the API has it
is no reference.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from .objects import Object
from .pod_templates import pod_templates
from .references import Reference
from .values import values_at


class Link(NamedTuple):
    """References by name: what they say about the other object, the path of the fields they stand in (lists are gone
    through), and the kind of the other object, unless the reference says it."""

    label: str
    path: str
    kind: str


_BINDING = (Link("grants", "roleRef", "Role"), Link("to", "subjects", "ServiceAccount"))
_SCALES = Link("scales", "spec.scaleTargetRef", "Deployment")

LINKS: Mapping[str, tuple[Link, ...]] = {
    "ClusterRoleBinding": _BINDING,
    "DestinationRule": (Link("sets TLS of", "spec", "Service"),),
    "HTTPRoute": (
        Link("through", "spec.parentRefs", "Gateway"),
        Link("routes to", "spec.rules.backendRefs", "Service"),
    ),
    "HorizontalPodAutoscaler": (_SCALES,),
    "InferenceObjective": (Link("ranks requests to", "spec.poolRef", "InferencePool"),),
    "InferencePool": (
        Link("asks", "spec.endpointPickerRef", "Service"),
        Link("asks", "spec.extensionRef", "Service"),
    ),
    "Ingress": (
        Link("routes to", "spec.defaultBackend.service", "Service"),
        Link("routes to", "spec.rules.http.paths.backend.service", "Service"),
    ),
    "RoleBinding": _BINDING,
    "ScaledObject": (_SCALES, Link("uses", "spec.triggers.authenticationRef", "TriggerAuthentication")),
    "ServiceMonitor": (Link("reads with", "spec.endpoints.authorization.credentials", "Secret"),),
    "VirtualService": (Link("routes to", "spec.http.route.destination", "Service"),),
}
"""Kind to its references by name."""

CLUSTER_SCOPED = ("ClusterRole", "ClusterTriggerAuthentication")


def links(obj: Object) -> Iterator[tuple[Reference, str]]:
    """What the object refers to by name, each with the link's label. Names not known yet (Outputs) are left out."""
    for link in LINKS.get(obj["kind"], ()):
        for value in at(obj, link.path):
            reference = _reference(value, link.kind, obj)
            if all(isinstance(part, str) for part in reference) and reference.name:
                yield reference, link.label


def at(value: Any, path: str) -> Iterator[Mapping[str, Any]]:
    """The mappings at a path such as ``spec.rules.backendRefs``; lists are gone through."""
    return (inner for inner in values_at(value, path.split(".")) if isinstance(inner, Mapping))


def _reference(value: Mapping[str, Any], kind: str, obj: Object) -> Reference:
    """A reference as the API writes it: kind and namespace may be left out, Istio's has a host instead of a name."""
    kind = value.get("kind", kind)
    namespace = value.get("namespace", obj["metadata"].get("namespace", ""))
    name = value.get("name", "")
    if isinstance(value.get("host"), str):
        name, _, rest = value["host"].partition(".")
        namespace = rest.partition(".")[0] or namespace
    return Reference(kind, "" if kind in CLUSTER_SCOPED else namespace, name)


class Selector(NamedTuple):
    """Where a kind's selector stands, and the kind whose labels it selects by (``Pod``: labels of pod templates)."""

    path: str
    kind: str


SELECTORS: Mapping[str, Selector] = {
    "InferencePool": Selector("spec.selector", "Pod"),
    "NetworkPolicy": Selector("spec.podSelector", "Pod"),
    "PodDisruptionBudget": Selector("spec.selector", "Pod"),
    "PodMonitor": Selector("spec.selector", "Pod"),
    "Service": Selector("spec.selector", "Pod"),
    "ServiceMonitor": Selector("spec.selector", "Service"),
}
"""Kind to its selector of objects of the same namespace."""


def selector(obj: Object) -> tuple[str, Mapping[str, Any]]:
    """The kind whose labels the object selects by, and the labels it wants; empty for none."""
    path, kind = SELECTORS.get(obj["kind"], Selector("", ""))
    return kind, next(chain(at(obj, f"{path}.matchLabels"), at(obj, path)), {})


def labels(obj: Object) -> list[tuple[str, Mapping[str, Any]]]:
    """The labels by which an object can be selected: those of its pods, for each pod template, and those of the
    object."""
    labelled = [("Pod", template) for _, template in pod_templates(obj)] + [(obj["kind"], obj)]
    return [(kind, values) for kind, item in labelled for values in at(item, "metadata.labels")]
