"""Routes that take each other's requests, whatever family makes them. Not proved here: which one a gateway prefers."""

from __future__ import annotations

from typing import Any

import pytest

from components.families import Plan
from components.kubernetes.model import Manifest, ObjectMeta
from components.kubernetes.objects import Rendered
from components.linking.routes import route_conflicts

GATEWAY = {"name": "gw", "namespace": "infra"}
HEADER = {"headers": [{"name": "model", "value": "llama"}]}


def route(home: str, *matches: dict[str, Any], hosts: list[Any] | None = None, **parent: Any) -> dict[str, Any]:
    spec = {"parentRefs": [{**GATEWAY, **parent}], "rules": [{"matches": list(matches)}]}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "r", "namespace": home},
        "spec": {**spec, **({"hostnames": hosts} if hosts else {})},
    }


def conflicts(*routes: dict[str, Any]) -> list[tuple[str, str]]:
    """Object and path of each finding; the routes are those of services of different families."""
    plan = Plan()
    for kind, obj in zip(("LLMInferenceService", "ModelService"), routes, strict=True):
        metadata = ObjectMeta(name="chat", namespace=obj["metadata"]["namespace"])
        owner = Manifest(apiVersion="x/v1", kind=kind, metadata=metadata)
        rendered = Rendered("C", kind, metadata.namespace, "chat", {"route": obj}, fields={"route": "spec.route"})
        plan.services.append((owner, rendered))
    return [(manifest.kind, problem.path) for manifest, problem in route_conflicts(plan)]


CONFLICT = [("ModelService", "spec.route")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (route("a", HEADER), route("b", HEADER)),
        (route("a"), route("b", {"path": {"type": "PathPrefix", "value": "/"}})),
        (route("a", HEADER), route("b", {"headers": [{"type": "Exact", "name": "model", "value": "llama"}]})),
        (route("a", hosts=["x.com", "y.com"]), route("b", hosts=["y.com"])),
    ],
)
def test_the_same_requests(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert conflicts(one, two) == CONFLICT


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (route("a", HEADER), route("b")),
        (route("a", hosts=["x.com"]), route("b", hosts=["y.com"])),
        (route("a"), route("b", namespace="other")),
        (route("a", sectionName="http"), route("b", sectionName="https")),
        (route("a", {"method": "GET"}), route("b", {"method": "POST"})),
        (route("a", {"path": {"value": "/a"}}), route("b", {"path": {"value": "/b"}})),
        (route("a", hosts=[object()]), route("b", hosts=[object()])),
        ({**route("a"), "spec": None}, {**route("b"), "spec": {"parentRefs": "?", "rules": 5}}),
    ],
)
def test_other_requests(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert conflicts(one, two) == []


def test_the_message_says_what_to_do() -> None:
    metadata = [ObjectMeta(name="chat", namespace=name) for name in ("a", "b")]
    owners = [Manifest(apiVersion="x/v1", kind="ModelService", metadata=each) for each in metadata]
    plan = Plan(objects=[(owner, route(owner.namespace)) for owner in owners])
    ((manifest, problem),) = route_conflicts(plan)
    assert (manifest.namespace, problem.path, problem.severity) == ("b", "spec", "warning")
    assert problem.message == (
        "its route matches the same requests at Gateway infra/gw as that of ModelService a/chat, and the older one "
        "gets them: give each its own hostnames or name"
    )
