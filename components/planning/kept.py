"""Objects around workloads that keep their live pod templates: they follow the template until the service changes.

The ports and labels of an operator's pods may differ from what this program renders. A rendered Service, pool or
monitor would then reach no pods. So ``adopt`` records the live fields of such an object, of objects that name it (a
route) and of the configuration that kept pods mount, and which certificate is kept.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.model import Spec
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.scalars import FreeForm, Name, Text
from ..kubernetes.values import mapping, mappings

FOLLOWING: Mapping[str, tuple[str, ...]] = {
    "DestinationRule": ("spec.host", "spec.trafficPolicy"),
    "HTTPRoute": ("spec.rules",),
    "InferencePool": (
        "spec.selector",
        "spec.targetPorts",
        "spec.targetPortNumber",
        "spec.endpointPickerRef",
        "spec.extensionRef",
    ),
    "Ingress": ("spec.rules", "spec.defaultBackend"),
    "PodDisruptionBudget": ("spec.selector",),
    "PodMonitor": ("spec.selector", "spec.podMetricsEndpoints"),
    "Service": ("spec.selector", "spec.ports"),
    "ServiceMonitor": ("spec.selector", "spec.endpoints"),
    "VirtualService": ("spec.http",),
    "ConfigMap": ("data", "binaryData"),
    "Secret": (),
}
"""Kind to the fields that name pods' ports and labels, or an object that does. The certificate in a Secret is kept
without being written to a file."""

_WITH_NODE_PORTS = ("NodePort", "LoadBalancer")


class KeptObject(Spec):
    apiVersion: Name
    """API version of the object."""
    kind: Name
    """Its kind."""
    namespace: Text = ""
    """Its namespace."""
    name: Name
    """Its name."""
    rendered: Name
    """Hash of the fields that the manifests rendered when it was taken over."""
    follows: list[Text]
    """The workloads whose live templates it belongs to. It is kept as long as these are."""
    fields: dict[Text, FreeForm] = {}
    """Its live fields, by path."""

    @property
    def identity(self) -> Key:
        return Key(self.apiVersion, self.kind, self.namespace, self.name)


def kept_object(rendered: Object, live: Mapping[str, Any], follows: Collection[str]) -> KeptObject:
    """The entry with which an object follows workloads that keep their live templates."""
    identity = key(rendered)
    return KeptObject(
        apiVersion=identity.api_version,
        kind=identity.kind,
        namespace=identity.namespace,
        name=identity.name,
        rendered=fields_hash(rendered),
        follows=sorted(follows),
        fields=_fields(live, identity.kind),
    )


def keep_fields(obj: Object, kept: KeptObject) -> Object:
    """A rendered object with the live fields."""
    for path in FOLLOWING[kept.kind]:
        field, _, inner = path.partition(".")
        value = kept.fields.get(path)
        if inner:
            rest = {name: item for name, item in obj[field].items() if name != inner}
            obj = {**obj, field: {**rest, inner: value} if value is not None else rest}
        else:
            rest = {name: item for name, item in obj.items() if name != field}
            obj = {**rest, field: value} if value is not None else rest
    return _without_node_ports(obj) if kept.kind == "Service" else obj


def _without_node_ports(service: Object) -> Object:
    spec = service["spec"]
    if spec.get("type") in _WITH_NODE_PORTS:
        return service
    ports = [{name: value for name, value in port.items() if name != "nodePort"} for port in spec.get("ports") or []]
    return {**service, "spec": {**spec, "ports": ports}}


def fields_hash(obj: Mapping[str, Any]) -> str:
    """A hash of an object's fields that would be kept."""
    text = json.dumps(_fields(obj, obj["kind"]), sort_keys=True, default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _fields(obj: Mapping[str, Any], kind: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for path in FOLLOWING[kind]:
        field, _, inner = path.partition(".")
        value = mapping(obj.get(field)).get(inner) if inner else obj.get(field)
        values |= {path: value} if value is not None else {}
    return values


def is_in_use(kept: KeptObject, rendered: Mapping[Key, Object], keeping: Collection[str]) -> bool:
    """Whether an object still follows its workloads. ``keeping`` are those that keep their live templates."""
    obj = rendered.get(kept.identity)
    return obj is not None and fields_hash(obj) == kept.rendered and set(kept.follows) <= set(keeping)


def stale(kept: KeptObject) -> Problem:
    message = "the model service has changed since it was taken over, so the object is as rendered: remove the entry"
    return Problem("", message, severity="warning", code="stale-adoption")


def moved_ports(before: Iterable[Object], after: Iterable[Object]) -> Iterator[tuple[str, int, int]]:
    """Each Service with another port than rendered, as its name, the rendered port and the live one."""
    for old, new in zip(before, after, strict=True):
        if old["kind"] == "Service" and old is not new:
            pairs = zip(_ports(old), _ports(new), strict=False)
            yield from ((old["metadata"]["name"], was, now) for was, now in pairs if was != now)


def _ports(service: Object) -> list[Any]:
    return [port.get("port") for port in mappings(mapping(service.get("spec")).get("ports"))]
