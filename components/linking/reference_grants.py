"""ReferenceGrants, which permit a route to send requests to a pool or Service of another namespace."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..families import Plan
from ..findings import Problem
from ..kubernetes.metadata import is_dns_label, is_subdomain
from ..kubernetes.model import MAX_NAME
from ..kubernetes.objects import Object, TypedObjectReference
from ..kubernetes.references import at
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source

ROUTE_GROUP = "gateway.networking.k8s.io"
ROUTES = frozenset(["GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute"])
BACKENDS = (
    "spec.rules.backendRefs",
    "spec.rules.filters.requestMirror.backendRef",
    "spec.rules.backendRefs.filters.requestMirror.backendRef",
)
"""Fields in which a route names its backends."""


class Crossing(NamedTuple):
    """A route's reference to another namespace."""

    route: str
    route_namespace: str
    backend: TypedObjectReference


Consent = Callable[[Source, TypedObjectReference], bool]
"""Whether the owner of a backend accepts requests from a manifest's route."""


def reference_grants(objects: Iterable[RenderedObject], agrees: Consent) -> Plan:
    """The grants that routes need, each once, if the backend's owner ``agrees``. Otherwise a warning says what that
    owner has to make. A bad name is an error."""
    grants: dict[Crossing, RenderedObject] = {}
    result = Plan()
    for record in objects:
        source, path = record.source, record.field
        for crossing in dict.fromkeys(_crossings(record.body)) if record.key.kind in ROUTES else ():
            if not _is_named(crossing.backend):
                message = (
                    f"its route sends requests to {_title(crossing.backend)}, a kind that no API server has; correct "
                    "the backendRef"
                )
                result.problems.append((source, Problem(path, message, code="bad-name")))
            elif agrees(source, crossing.backend):
                grants.setdefault(crossing, RenderedObject("", _grant(crossing), source, field="spec"))
            else:
                result.problems.append((source, Problem(path, _advice(crossing), "warning", "no-consent")))
    result.objects += [grants[crossing] for crossing in sorted(grants)]
    return result


def _is_named(backend: TypedObjectReference) -> bool:
    group = backend.group == "" or is_subdomain(backend.group)
    return group and backend.kind.isalnum() and is_dns_label(backend.namespace) and is_subdomain(backend.name)


def _title(backend: TypedObjectReference) -> str:
    return f"{backend.kind} {backend.namespace}/{backend.name}"


def _advice(crossing: Crossing) -> str:
    backend = crossing.backend
    return (
        f"its route sends requests to {_title(backend)}, but the gateway refuses that without a ReferenceGrant in "
        f"namespace {backend.namespace} from {crossing.route} of namespace "
        f"{crossing.route_namespace} to {backend.kind} {backend.name}. The owner makes it, or the platform lists "
        f"{backend.namespace} under settings.referenceGrants"
    )


def _crossings(obj: Object) -> Iterator[Crossing]:
    if obj["apiVersion"].partition("/")[0] != ROUTE_GROUP:
        return
    route_namespace = obj["metadata"].get("namespace", "")
    for backend in (backend for path in BACKENDS for backend in at(obj, path)):
        namespace = backend.get("namespace", route_namespace)
        target = (backend.get("group", ""), backend.get("kind", "Service"), namespace, backend.get("name"))
        if namespace != route_namespace and all(isinstance(part, str) for part in target):
            yield Crossing(obj["kind"], route_namespace, TypedObjectReference(*map(str, target)))


def _grant(crossing: Crossing) -> Object:
    backend = crossing.backend
    return {
        "apiVersion": f"{ROUTE_GROUP}/v1beta1",
        "kind": "ReferenceGrant",
        "metadata": {"name": _name(crossing), "namespace": backend.namespace},
        "spec": {
            "from": [{"group": ROUTE_GROUP, "kind": crossing.route, "namespace": crossing.route_namespace}],
            "to": [{"group": backend.group, "kind": backend.kind, "name": backend.name}],
        },
    }


def _name(crossing: Crossing) -> str:
    """``from-<namespace>-<route kind>-to-<kind>-<name>``; shortened with a digest if it is too long."""
    ends = (crossing.route_namespace, crossing.route, "to", crossing.backend.kind, crossing.backend.name)
    name = "-".join(("from", *ends)).lower()
    if len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: MAX_NAME - 9].rstrip('-.')}-{digest}"
