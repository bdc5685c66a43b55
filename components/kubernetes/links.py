"""Which objects a kind refers to by name or by labels, beyond what its pods need: tables by kind.

A reference says what it does in a word or two, as the label of an arrow from the object to the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .objects import Object
from .references import Reference, pod_templates

Find = Callable[[Object], Iterable[Reference]]


class Selects(NamedTuple):
    """The selector of a kind, and the labels of other objects that it is held against."""

    selector: Callable[[Object], Mapping[str, Any]]
    labels: Callable[[Object], Iterable[Mapping[str, Any]]]


def _named(reference: Mapping[str, Any], obj: Object, kind: str) -> Reference:
    """A reference as the API writes it: kind and namespace may be left out."""
    namespace = reference.get("namespace", obj["metadata"].get("namespace", ""))
    return Reference(reference.get("kind", kind), namespace, reference.get("name", ""))


def _field(field: str, kind: str) -> Find:
    """A reference that stands in a field of the spec, where it is there."""
    return lambda obj: [_named(obj["spec"][field], obj, kind)] if field in obj["spec"] else []


def _by_host(host: str, obj: Object) -> Reference:
    """The Service of a host name: ``name``, ``name.namespace`` or longer."""
    name, _, rest = host.partition(".")
    return Reference("Service", rest.partition(".")[0] or obj["metadata"].get("namespace", ""), name)


def _gateways(obj: Object) -> Iterator[Reference]:
    return (_named(parent, obj, "Gateway") for parent in obj["spec"].get("parentRefs", []))


def _backends(obj: Object) -> Iterator[Reference]:
    rules = obj["spec"].get("rules", [])
    return (_named(backend, obj, "Service") for rule in rules for backend in rule.get("backendRefs", []))


def _ingress_backends(obj: Object) -> Iterator[Reference]:
    spec = obj["spec"]
    paths = [path for rule in spec.get("rules", []) for path in rule.get("http", {}).get("paths", [])]
    backends = [spec.get("defaultBackend", {}), *(path["backend"] for path in paths)]
    return (_named(backend["service"], obj, "Service") for backend in backends if "service" in backend)


def _destinations(obj: Object) -> Iterator[Reference]:
    routes = [route for rule in obj["spec"].get("http", []) for route in rule.get("route", [])]
    return (_by_host(route["destination"]["host"], obj) for route in routes)


def _host(obj: Object) -> Iterator[Reference]:
    yield _by_host(obj["spec"]["host"], obj)


def _authentications(obj: Object) -> Iterator[Reference]:
    found = (trigger.get("authenticationRef") for trigger in obj["spec"].get("triggers", []))
    return (_named(reference, obj, "TriggerAuthentication") for reference in found if reference)


def _role(obj: Object) -> Iterator[Reference]:
    role = obj["roleRef"]
    namespace = "" if role["kind"] == "ClusterRole" else obj["metadata"].get("namespace", "")
    yield Reference(role["kind"], namespace, role["name"])


def _subjects(obj: Object) -> Iterator[Reference]:
    return (_named(subject, obj, "ServiceAccount") for subject in obj.get("subjects", []))


def _credentials(obj: Object) -> Iterator[Reference]:
    endpoints = obj["spec"].get("endpoints", [])
    secrets = (endpoint.get("authorization", {}).get("credentials") for endpoint in endpoints)
    return (Reference("Secret", obj["metadata"].get("namespace", ""), secret["name"]) for secret in secrets if secret)


_BINDING = (("grants", _role), ("to", _subjects))
_SCALES = ("scales", _field("scaleTargetRef", "Deployment"))

LINKS: Mapping[str, tuple[tuple[str, Find], ...]] = {
    "ClusterRoleBinding": _BINDING,
    "DestinationRule": (("sets TLS of", _host),),
    "HTTPRoute": (("through", _gateways), ("routes to", _backends)),
    "HorizontalPodAutoscaler": (_SCALES,),
    "InferenceObjective": (("ranks requests to", _field("poolRef", "InferencePool")),),
    "InferencePool": (("asks", _field("endpointPickerRef", "Service")), ("asks", _field("extensionRef", "Service"))),
    "Ingress": (("routes to", _ingress_backends),),
    "RoleBinding": _BINDING,
    "ScaledObject": (_SCALES, ("uses", _authentications)),
    "ServiceMonitor": (("reads with", _credentials),),
    "VirtualService": (("routes to", _destinations),),
}
"""Kind to its references by name."""


def pod_labels(obj: Object) -> Iterator[Mapping[str, Any]]:
    """The labels of an object's pods, for each of its pod templates."""
    return (template.get("metadata", {}).get("labels", {}) for _, template in pod_templates(obj))


def _service_labels(obj: Object) -> Iterator[Mapping[str, Any]]:
    if obj["kind"] == "Service":
        yield obj["metadata"].get("labels", {})


def _selector(obj: Object) -> Mapping[str, Any]:
    """The selector of a spec: with matchLabels, or flat (a Service's, that of an InferencePool v1alpha2)."""
    selector = obj["spec"].get("selector", {})
    return selector.get("matchLabels", selector)


def _pod_selector(obj: Object) -> Mapping[str, Any]:
    return obj["spec"].get("podSelector", {}).get("matchLabels", {})


SELECTORS: Mapping[str, Selects] = {
    "InferencePool": Selects(_selector, pod_labels),
    "NetworkPolicy": Selects(_pod_selector, pod_labels),
    "PodDisruptionBudget": Selects(_selector, pod_labels),
    "PodMonitor": Selects(_selector, pod_labels),
    "Service": Selects(_selector, pod_labels),
    "ServiceMonitor": Selects(_selector, _service_labels),
}
"""Kind to its selector of other objects of the same namespace."""
