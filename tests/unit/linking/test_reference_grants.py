"""The grants that routes need. Not proved here: that a gateway honours them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from modelservices.kubernetes.model import Manifest, ObjectMeta
from modelservices.kubernetes.objects import TypedObjectReference, key
from modelservices.kubernetes.rendered import RenderedObject
from modelservices.linking.reference_grants import reference_grants
from tests.unit.records import component, single, source

POOL = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "llama"}


def route(*backends: dict[str, Any], filters: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    rule = {"backendRefs": list(backends), **({"filters": filters} if filters else {})}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "r", "namespace": "web"},
        "spec": {"rules": [rule]},
    }


OWNER = source(Manifest(apiVersion="x/v1", kind="Web", metadata=ObjectMeta(name="r", namespace="web")))


def grants(routes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The grants where every owner agrees."""
    found = reference_grants(single(OWNER, *routes), lambda manifest, backend: True)
    assert found.problems == []
    return [record.body for record in found.objects]


def test_a_pool_in_another_namespace() -> None:
    assert grants([route({**POOL, "namespace": "models"})]) == [
        {
            "apiVersion": "gateway.networking.k8s.io/v1beta1",
            "kind": "ReferenceGrant",
            "metadata": {"name": "from-web-httproute-to-inferencepool-llama", "namespace": "models"},
            "spec": {
                "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "web"}],
                "to": [{"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "llama"}],
            },
        }
    ]


def test_none_within_a_namespace_and_none_for_other_kinds() -> None:
    pool = {"apiVersion": "v1", "kind": "HTTPRoute", "metadata": {"name": "x"}, "spec": {"rules": [{}]}}
    assert grants([route(POOL), route({**POOL, "namespace": "web"}), pool]) == []


def test_services_by_default_and_mirrors_too() -> None:
    mirror = {"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "shadow", "namespace": "b"}}}
    found = grants([route({"name": "svc", "namespace": "a", "filters": [mirror]}, filters=[mirror])])
    assert [grant["spec"]["to"] for grant in found] == [
        [{"group": "", "kind": "Service", "name": "svc"}],
        [{"group": "", "kind": "Service", "name": "shadow"}],
    ]


def test_one_grant_for_routes_of_one_namespace_in_any_order() -> None:
    routes = [route({**POOL, "namespace": "models"}), route({"name": "s", "namespace": "models"}, {**POOL})]
    routes += [route({**POOL, "namespace": "models"})]
    assert grants(routes) == grants(reversed(routes))
    assert len(grants(routes)) == 2


def test_long_names_are_cut_and_stay_apart() -> None:
    names = ["p" * 240 + suffix for suffix in ("a", "b")]
    found = grants([route(*({**POOL, "name": name, "namespace": "models"} for name in names))])
    assert [len(grant["metadata"]["name"]) for grant in found] == [253, 253]
    assert found[0]["metadata"]["name"] != found[1]["metadata"]["name"]


GARBAGE = [None, 1, "x", [], {}, [1], [None], [{"backendRefs": 1}], [{"backendRefs": [{"namespace": {}, "name": "x"}]}]]
GARBAGE += [[{"filters": [{"requestMirror": value}]}] for value in (None, "x", {"backendRef": 1})]
GARBAGE += [[{"backendRefs": [{"namespace": "other", "name": "x", "kind": 5, "filters": "x"}]}]]


@pytest.mark.parametrize("rules", GARBAGE, ids=repr)
def test_what_is_no_route_needs_nothing(rules: Any) -> None:
    """Routes are passed on as they are: what they hold is for the API server to judge."""
    assert grants([{**route(), "spec": {"rules": rules}}, {**route(), "spec": rules}]) == []


def test_no_grant_without_consent_and_what_the_owner_has_to_make() -> None:
    """The path is the field that the route is made of; an owner is asked about each backend by itself."""
    rendered = component(OWNER, [RenderedObject("r", route(POOL | {"namespace": "models"}), field="spec.route")])
    asked: list[TypedObjectReference] = []
    found = reference_grants(list(rendered.owned()), lambda manifest, backend: bool(asked.append(backend)))
    assert found.objects == []
    assert asked == [TypedObjectReference("inference.networking.k8s.io", "InferencePool", "models", "llama")]
    ((manifest, problem),) = found.problems
    assert (manifest, problem.path, problem.severity, problem.code) == (OWNER, "spec.route", "warning", "no-consent")
    assert problem.message == (
        "its route sends requests to InferencePool models/llama, but the gateway refuses that without a "
        "ReferenceGrant in namespace models from HTTPRoute of namespace web to InferencePool llama. "
        "The owner makes it, or the platform lists models under settings.referenceGrants"
    )


@pytest.mark.parametrize(
    "backend",
    [
        {"namespace": "../../x", "name": "a"},
        {"namespace": "b", "name": "../a"},
        {"namespace": "b", "name": "a", "kind": "../Service"},
        {"namespace": "b", "name": "a", "group": "../x"},
    ],
)
def test_a_backend_that_no_server_has(backend: dict[str, str]) -> None:
    found = reference_grants(single(OWNER, route(backend)), lambda manifest, backend: True)
    assert found.objects == []
    assert [(problem.path, problem.severity, problem.code) for _, problem in found.problems] == [
        ("spec", "error", "bad-name")
    ]


def test_the_object_that_a_backend_is() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "b"}}
    assert key(service).reference == TypedObjectReference("", "Service", "b", "a")
    pool = {"apiVersion": "inference.networking.k8s.io/v1", "kind": "InferencePool", "metadata": {"name": "a"}}
    assert key(pool).reference == TypedObjectReference("inference.networking.k8s.io", "InferencePool", "", "a")
