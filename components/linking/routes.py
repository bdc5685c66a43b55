"""Routes that match the same requests at the same gateway: only one gets them, and nobody chooses which.

HTTPRoutes, GRPCRoutes and AIGatewayRoutes of a Gateway, Ingresses of a class, VirtualServices of Istio's gateways.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..findings import Problem
from ..kubernetes.objects import Key, Object
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, mappings
from ..manifests.reading import described

_MOST = 32 * 16 * 128
"""Matches of the largest route that the Gateway API accepts: its gateways, hosts, and matches of all rules."""
_EVERY_PATH = {"type": "PathPrefix", "value": "/"}


class Match(NamedTuple):
    """One way in which a route takes requests: a gateway (``Gateway namespace/name``), a host (empty for all) and one
    of the route's matches. ``identity`` is all of it as text, with the API server's defaults."""

    identity: str
    gateway: str
    host: Any
    match: Mapping[str, Any]


def route_conflicts(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each route that repeats a match of another route at the same gateway and host name."""
    seen: dict[str, tuple[Key, Source]] = {}
    for record in objects:
        matches = _KINDS.get(record.key.kind)
        for match in islice(matches(record.body), _MOST) if matches else ():
            first, owner = seen.setdefault(match.identity, (record.key, record.source))
            if first != record.key:
                message = (
                    f"its route and that of {described(owner.manifest)} both match {_requests(match)} at "
                    f"{match.gateway}, and the older route gets them; use different hostnames, matches or names"
                )
                yield record.source, Problem(record.field, message, "warning", "route-conflict")
                break


def _matches(route: Object) -> Iterator[Match]:
    spec = mapping(route.get("spec"))
    namespace = route["metadata"].get("namespace", "")
    matches = [match for rule in mappings(spec.get("rules")) for match in mappings(rule.get("matches")) or [{}]]
    requests = [(_text(_normal(match)), match) for match in matches]
    for parent in mappings(spec.get("parentRefs")):
        gateway = f"{parent.get('namespace', namespace)}/{parent.get('name')}"
        listener = [parent.get("kind", "Gateway"), gateway, parent.get("sectionName"), parent.get("port")]
        for host in _items(spec.get("hostnames")) or [""]:
            where = _text([listener, host])
            for text, match in requests:
                yield Match(where + text, f"Gateway {gateway}", host, match)


def _of_ingress(ingress: Object) -> Iterator[Match]:
    spec = mapping(ingress.get("spec"))
    entry = f"Ingress class {spec.get('ingressClassName') or '(default)'}"
    for rule in mappings(spec.get("rules")):
        host = rule.get("host") or ""
        for path in mappings(mapping(rule.get("http")).get("paths")):
            match = {"path": {"type": path.get("pathType"), "value": path.get("path") or "/"}}
            yield Match(_text(["Ingress", entry, host, match]), entry, host, match)


def _of_virtual_service(service: Object) -> Iterator[Match]:
    """By host and gateway: Istio's matches are an ordered list, in which the older VirtualService's come first."""
    spec = mapping(service.get("spec"))
    namespace = service["metadata"].get("namespace", "")
    for gateway in _items(spec.get("gateways")) or ["mesh"]:
        name = gateway if gateway == "mesh" or "/" in str(gateway) else f"{namespace}/{gateway}"
        for host in _items(spec.get("hosts")):
            full = f"{host}.{namespace}.svc.cluster.local" if "." not in str(host) and host != "*" else host
            yield Match(_text(["VirtualService", name, full]), f"Istio's gateway {name}", full, {})


_KINDS: Mapping[str, Callable[[Object], Iterator[Match]]] = {
    "AIGatewayRoute": _matches,
    "GRPCRoute": _matches,
    "HTTPRoute": _matches,
    "Ingress": _of_ingress,
    "VirtualService": _of_virtual_service,
}


def _requests(match: Match) -> str:
    """``requests for example.com/v1 with the header model: llama``."""
    path = {**_EVERY_PATH, **mapping(match.match.get("path"))}["value"]
    pairs = [f"{header.get('name')}: {header.get('value')}" for header in mappings(match.match.get("headers"))]
    return " ".join([f"requests for {match.host}{path}", *(f"with the header {pair}" for pair in pairs)])


def _normal(match: Mapping[str, Any]) -> dict[str, Any]:
    """A match with the API server's defaults and its lists in a stable order."""
    path = {**_EVERY_PATH, **mapping(match.get("path"))}
    listed = {
        field: sorted(_text({"type": "Exact", **item}) for item in mappings(match.get(field)))
        for field in ("headers", "queryParams")
    }
    return {"path": path, "method": match.get("method"), **listed}


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """A value as JSON text. Unknown values (Outputs) are compared by identity, so they never match."""
    return json.dumps(value, sort_keys=True, default=lambda unknown: f"{type(unknown).__name__} {id(unknown)}")
