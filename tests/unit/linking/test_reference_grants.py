"""The grants that routes need. Not proved here: that a gateway honours them."""

from __future__ import annotations

from typing import Any

import pytest

from components.linking.reference_grants import reference_grants

POOL = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "llama"}


def route(*backends: dict[str, Any], filters: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    rule = {"backendRefs": list(backends), **({"filters": filters} if filters else {})}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "r", "namespace": "web"},
        "spec": {"rules": [rule]},
    }


def test_a_pool_in_another_namespace() -> None:
    assert reference_grants([route({**POOL, "namespace": "models"})]) == [
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
    assert reference_grants([route(POOL), route({**POOL, "namespace": "web"}), pool]) == []


def test_services_by_default_and_mirrors_too() -> None:
    mirror = {"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "shadow", "namespace": "b"}}}
    found = reference_grants([route({"name": "svc", "namespace": "a", "filters": [mirror]}, filters=[mirror])])
    assert [grant["spec"]["to"] for grant in found] == [
        [{"group": "", "kind": "Service", "name": "svc"}],
        [{"group": "", "kind": "Service", "name": "shadow"}],
    ]


def test_one_grant_for_routes_of_one_namespace_in_any_order() -> None:
    routes = [route({**POOL, "namespace": "models"}), route({"name": "s", "namespace": "models"}, {**POOL})]
    routes += [route({**POOL, "namespace": "models"})]
    assert reference_grants(routes) == reference_grants(reversed(routes))
    assert len(reference_grants(routes)) == 2


def test_long_names_are_cut_and_stay_apart() -> None:
    names = ["p" * 240 + suffix for suffix in ("a", "b")]
    found = reference_grants([route(*({**POOL, "name": name, "namespace": "models"} for name in names))])
    assert [len(grant["metadata"]["name"]) for grant in found] == [253, 253]
    assert found[0]["metadata"]["name"] != found[1]["metadata"]["name"]


GARBAGE = [None, 1, "x", [], {}, [1], [None], [{"backendRefs": 1}], [{"backendRefs": [{"namespace": {}, "name": "x"}]}]]
GARBAGE += [[{"filters": [{"requestMirror": value}]}] for value in (None, "x", {"backendRef": 1})]
GARBAGE += [[{"backendRefs": [{"namespace": "other", "name": "x", "kind": 5, "filters": "x"}]}]]


@pytest.mark.parametrize("rules", GARBAGE, ids=repr)
def test_what_is_no_route_needs_nothing(rules: Any) -> None:
    """Routes are passed on as they are: what they hold is for the API server to judge."""
    assert reference_grants([{**route(), "spec": {"rules": rules}}, {**route(), "spec": rules}]) == []
