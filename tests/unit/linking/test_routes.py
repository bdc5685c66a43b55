"""Routes that take each other's requests, whatever family makes them. Not proved here: which one a gateway prefers."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families import Plan
from modelservices.kubernetes.model import Manifest, ObjectMeta
from modelservices.kubernetes.rendered import RenderedObject
from modelservices.linking.routes import route_conflicts
from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.kserve.services import manifest
from tests.unit.records import component, single, source

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
        owner = source(Manifest(apiVersion="x/v1", kind=kind, metadata=metadata))
        plan.services.append(component(owner, [RenderedObject("route", obj, field="spec.route")]))
    return [(found.manifest.kind, problem.path) for found, problem in route_conflicts(plan.records())]


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


def test_the_message_says_which_requests_and_what_to_do() -> None:
    metadata = [ObjectMeta(name="chat", namespace=name) for name in ("a", "b")]
    owners = [source(Manifest(apiVersion="x/v1", kind="ModelService", metadata=each)) for each in metadata]
    routes = [(owner, route(owner.manifest.namespace, HEADER, hosts=["x.com"])) for owner in owners]
    ((owner, problem),) = route_conflicts(record for owner, obj in routes for record in single(owner, obj))
    assert (owner.manifest.namespace, problem.path, problem.severity) == ("b", "spec", "warning")
    assert problem.message == (
        "its route and that of ModelService a/chat both match requests for x.com/ with the header model: llama at "
        "Gateway infra/gw, and the older route gets them; use different hostnames, matches or names"
    )


def test_two_kserve_services_of_one_model() -> None:
    """Each has its own path; only the requests that name the model go to the older one."""
    services = [manifest({"router": {"route": {}, "gateway": {}}}, name=name) for name in ("a", "b")]
    documents = [Document("x.yaml", index, 1, data) for index, data in enumerate(services, 1)]
    (found,) = [finding for finding in make_plan(documents, Settings()).findings if finding.code == "route-conflict"]
    assert (found.object, found.path) == ("LLMInferenceService models/b", "spec.router.route")
    assert "of LLMInferenceService models/a both match requests for /v1/completions with the header X-" in found.message
    other = {**services[1], "spec": {**services[1]["spec"], "model": {"uri": "hf://org/model", "name": "other"}}}
    documents[1] = Document("x.yaml", 2, 1, other)
    assert {finding.code for finding in make_plan(documents, Settings()).findings} == {"no-gpus"}
