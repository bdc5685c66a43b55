"""HTTPRoutes that match the same requests at the same gateway: the older one gets them all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..families import Plan
from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key, Object, key
from ..manifests.reading import object_name

_EVERY_PATH = {"type": "PathPrefix", "value": "/"}


def route_conflicts(plan: Plan) -> Iterator[tuple[Manifest, Problem]]:
    """A warning for each route that repeats a match of another one at a gateway and host name."""
    seen: dict[str, tuple[Key, Manifest]] = {}
    for manifest, obj, path in plan.made_of_fields():
        for gateway, match in _matches(obj) if obj["kind"] == "HTTPRoute" else ():
            first, owner = seen.setdefault(match, (key(obj), manifest))
            if first != key(obj):
                message = (
                    f"its route matches the same requests at Gateway {gateway} as that of {object_name(owner)}, and "
                    "the older one gets them: give each its own hostnames or name"
                )
                yield manifest, Problem(path, message, "warning", "route-conflict")
                break


def _matches(route: Object) -> Iterator[tuple[str, str]]:
    """Each gateway (``namespace/name``) of the route, with everything by which a request is matched there, as text."""
    spec = _mapping(route.get("spec"))
    namespace = route["metadata"].get("namespace", "")
    for parent in map(_mapping, _items(spec.get("parentRefs"))):
        gateway = f"{parent.get('namespace', namespace)}/{parent.get('name')}"
        listener = [parent.get("kind", "Gateway"), gateway, parent.get("sectionName"), parent.get("port")]
        for host in _items(spec.get("hostnames")) or [""]:
            for rule in map(_mapping, _items(spec.get("rules"))):
                for match in _items(rule.get("matches")) or [{}]:
                    yield gateway, _text([listener, host, _normal(_mapping(match))])


def _normal(match: Mapping[str, Any]) -> dict[str, Any]:
    """A match with the API server's defaults, and what it lists in a stable order."""
    path = {**_EVERY_PATH, **_mapping(match.get("path"))}
    listed = {
        field: sorted(_text({"type": "Exact", **_mapping(item)}) for item in _items(match.get(field)))
        for field in ("headers", "queryParams")
    }
    return {"path": path, "method": match.get("method"), **listed}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Values that are not known yet (Outputs) are told apart by what they are, and so never the same."""
    return json.dumps(value, sort_keys=True, default=lambda unknown: f"{type(unknown).__name__} {id(unknown)}")
