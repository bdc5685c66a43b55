"""ReferenceGrants: the permission that a route needs to send requests to a pool or Service of another namespace."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..kubernetes.links import at
from ..kubernetes.model import MAX_NAME
from ..kubernetes.objects import Object

ROUTE_GROUP = "gateway.networking.k8s.io"
ROUTES = frozenset(["GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute"])
BACKENDS = (
    "spec.rules.backendRefs",
    "spec.rules.filters.requestMirror.backendRef",
    "spec.rules.backendRefs.filters.requestMirror.backendRef",
)
"""Where a route names what it sends requests to."""


class Crossing(NamedTuple):
    """A route's reference that leaves its namespace."""

    route: str
    route_namespace: str
    group: str
    kind: str
    namespace: str
    name: str


def reference_grants(objects: Iterable[Object]) -> list[Object]:
    """The grants that the routes among ``objects`` need, each once, in a stable order."""
    return [_grant(crossing) for crossing in sorted({c for obj in objects for c in _crossings(obj)})]


def _crossings(obj: Object) -> Iterator[Crossing]:
    if obj["kind"] not in ROUTES or obj["apiVersion"].partition("/")[0] != ROUTE_GROUP:
        return
    own = obj["metadata"].get("namespace", "")
    for backend in (found for path in BACKENDS for found in at(obj, path.split("."))):
        namespace = backend.get("namespace", own)
        target = (backend.get("group", ""), backend.get("kind", "Service"), namespace, backend.get("name"))
        if namespace != own and all(isinstance(part, str) for part in target):
            yield Crossing(obj["kind"], own, *map(str, target))


def _grant(crossing: Crossing) -> Object:
    return {
        "apiVersion": f"{ROUTE_GROUP}/v1beta1",
        "kind": "ReferenceGrant",
        "metadata": {"name": _name(crossing), "namespace": crossing.namespace},
        "spec": {
            "from": [{"group": ROUTE_GROUP, "kind": crossing.route, "namespace": crossing.route_namespace}],
            "to": [{"group": crossing.group, "kind": crossing.kind, "name": crossing.name}],
        },
    }


def _name(crossing: Crossing) -> str:
    """``from-<namespace>-<route kind>-to-<kind>-<name>``; cut with a digest where it would be too long."""
    ends = (crossing.route_namespace, crossing.route, "to", crossing.kind, crossing.name)
    name = "-".join(("from", *ends)).lower()
    if len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: MAX_NAME - 9].rstrip('-.')}-{digest}"
