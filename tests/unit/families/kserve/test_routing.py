"""The HTTPRoute: backends, model headers, adapters, gateways, timeouts, and what the Gateway API refuses.

Not proved: that a gateway takes the requests that the rules ask for.
"""

from __future__ import annotations

from typing import Any

import pytest

from .services import ROUTER, config, findings, manifest, objects, of

HEADER = "X-Gateway-Model-Name"
ROUTING = "serving.kserve.io/model-based-routing-enabled"
UNLIMITED = {"request": "0s", "backendRequest": "0s"}
SERVICE = {"group": "", "kind": "Service", "name": "chat-kserve-workload-svc", "port": 8000, "weight": 1}


def route(spec: dict[str, Any], *others: dict[str, Any], settings: Any = None, **metadata: Any) -> dict[str, Any]:
    return objects(manifest(spec, **metadata), *others, settings=settings)["route"]


def rules(found: dict[str, Any]) -> dict[str, Any]:
    return {rule["name"]: rule for rule in found["spec"]["rules"]}


def backends(found: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    """Group, kind and name of the only backend of each rule."""
    return {
        name: tuple(rule["backendRefs"][0][field] for field in ("group", "kind", "name"))
        for name, rule in rules(found).items()
    }


def router(**fields: Any) -> dict[str, Any]:
    return {"router": {"route": {}, "scheduler": {}, **fields}}


def gateway(name: str, namespace: str, **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"gatewayClassName": "x", "listeners": []},
    }


def test_the_default_rules() -> None:
    found = rules(route(ROUTER))
    calls = ["completions", "chat-completions", "responses", "messages"]
    assert list(found) == [
        *(f"v1-{call}-path" for call in calls),
        "v1-model-routing",
        *(f"v1-{call}-publisher-path" for call in calls),
        "v1-publisher-path-catch-all",
        "v1-catch-all-path",
        "v1-catch-all-model-routing",
    ]
    assert all(rule["timeouts"] == UNLIMITED for rule in found.values())
    chat = found["v1-chat-completions-path"]
    assert chat["matches"] == [{"path": {"type": "PathPrefix", "value": "/models/chat/v1/chat/completions"}}]
    assert chat["filters"] == [
        {
            "type": "URLRewrite",
            "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/v1/chat/completions"}},
        }
    ]
    by_model = found["v1-model-routing"]
    assert [match["path"]["value"] for match in by_model["matches"]] == [
        f"/v1/{call}{slash}"
        for call in ("completions", "chat/completions", "responses", "messages")
        for slash in ("", "/")
    ]
    header = {"name": HEADER, "type": "Exact", "value": "publishers/models/models/org/model"}
    assert all(match["headers"] == [header] for match in by_model["matches"])
    assert "filters" not in by_model
    publisher = found["v1-messages-publisher-path"]["matches"][0]["path"]["value"]
    assert publisher == "/publishers/models/models/org/model/v1/messages"


def test_backends_with_a_scheduler() -> None:
    pool = ("inference.networking.k8s.io", "InferencePool", "chat-inference-pool")
    service = ("", "Service", "chat-kserve-workload-svc")
    for name, backend in backends(route(ROUTER)).items():
        assert backend == (service if "catch-all" in name else pool), name


def test_backends_without_a_scheduler() -> None:
    found = route({"router": {"route": {}}})
    assert all(rule["backendRefs"] == [SERVICE] for rule in found["spec"]["rules"])


def test_backends_with_a_pool_of_ones_own() -> None:
    found = backends(route({"router": {"route": {}, "scheduler": {"pool": {"ref": {"name": "mine"}}}}}))
    assert found["v1-completions-path"] == ("inference.networking.k8s.io", "InferencePool", "mine")
    assert found["v1-catch-all-path"][1] == "Service"


@pytest.mark.parametrize(
    ("settings", "group", "annotations"),
    [
        ({}, "inference.networking.k8s.io", None),
        ({"inferencePoolApis": ["v1alpha2"]}, "inference.networking.x-k8s.io", None),
        ({"inferencePoolApis": ["v1", "v1alpha2"]}, "inference.networking.x-k8s.io", None),
        (
            {"inferencePoolApis": ["v1", "v1alpha2"], "gatewayResolves": "v1"},
            "inference.networking.k8s.io",
            {"serving.kserve.io/inference-pool-migrated": "v1"},
        ),
        (
            {"inferencePoolApis": ["v1", "v1alpha2"], "gatewayResolves": "v1alpha2"},
            "inference.networking.x-k8s.io",
            None,
        ),
    ],
)
def test_the_pools_api_in_the_route(settings: dict[str, Any], group: str, annotations: Any) -> None:
    found = route(ROUTER, settings=settings)
    assert backends(found)["v1-completions-path"][0] == group
    assert found["metadata"].get("annotations") == annotations


def test_the_platforms_gateway() -> None:
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
    assert route(router())["spec"]["parentRefs"] == [
        {**parent, "name": "kserve-ingress-gateway", "namespace": "kserve"}
    ]
    found = route(router(), settings={"ingress": {"kserveIngressGateway": "edge/main"}})
    assert found["spec"]["parentRefs"] == [{**parent, "name": "main", "namespace": "edge"}]


def test_gateways_of_ones_own() -> None:
    refs = [{"name": "a"}, {"name": "b", "namespace": "edge", "sectionName": "https"}]
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
    assert route(router(gateway={"refs": refs}))["spec"]["parentRefs"] == [{**parent, **ref} for ref in refs]


def test_routes_of_ones_own() -> None:
    assert "route" not in of({"router": {"route": {"http": {"refs": [{"name": "mine"}]}}}})
    assert "route" not in of({"router": {"scheduler": {}}})


def test_ones_own_rules_replace_the_default_ones() -> None:
    rule = {"matches": [{"path": {"type": "Exact", "value": "/x"}}], "backendRefs": [{"name": "other", "port": 80}]}
    found = route(router(route={"http": {"spec": {"rules": [rule], "hostnames": ["a.example.com"]}}}))["spec"]
    assert found["hostnames"] == ["a.example.com"]
    assert found["parentRefs"][0]["name"] == "kserve-ingress-gateway"
    assert found["rules"] == [
        {**rule, "backendRefs": [{"group": "", "kind": "Service", "name": "other", "port": 80, "weight": 1}]}
    ]


@pytest.mark.parametrize("port", [{"port": 8000}, {}])
def test_ones_own_rules_may_use_the_default_pool(port: dict[str, int]) -> None:
    rule = {"backendRefs": [{"kind": "InferencePool", "name": "chat-inference-pool", **port}]}
    own = {"http": {"spec": {"rules": [rule]}}}
    (made,) = route({"router": {"route": own}})["spec"]["rules"]
    assert made["backendRefs"] == [SERVICE]
    (made,) = route(router(route=own))["spec"]["rules"]
    assert made["backendRefs"][0]["group"] == "inference.networking.k8s.io"


def test_a_service_needs_a_port_behind_a_route() -> None:
    mirrored = {"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "copy"}}}
    refs = [{"name": "other"}, {"name": "other", "port": 80}, {"kind": "Model", "group": "x.io", "name": "other"}]
    http = {"spec": {"rules": [{"backendRefs": refs, "filters": [mirrored]}]}}
    path = "spec.router.route.http.spec.rules[0]"
    assert [(where, severity) for where, severity, _ in findings(manifest(router(route={"http": http})))] == [
        (f"{path}.backendRefs[0].port", "error"),
        (f"{path}.filters[0].requestMirror.backendRef.port", "error"),
    ]


@pytest.mark.parametrize(
    ("spec", "settings", "there"),
    [
        ({}, {}, True),
        ({"annotations": {ROUTING: "false"}}, {}, False),
        ({"annotations": {ROUTING: "yes"}}, {}, False),
        ({}, {"modelBasedRoutingMode": "disabled"}, False),
    ],
)
def test_rules_by_the_models_name(spec: dict[str, Any], settings: dict[str, Any], there: bool) -> None:
    found = rules(route({**spec, **router()}, settings={"ingress": settings}))
    assert ("v1-model-routing" in found) == there
    assert ("v1-catch-all-model-routing" in found) == there
    assert len(found) == (12 if there else 10)


def test_another_header() -> None:
    found = rules(route(router(), settings={"ingress": {"modelBasedRoutingHeaderName": "X-Model"}}))
    assert found["v1-model-routing"]["matches"][0]["headers"][0]["name"] == "X-Model"


@pytest.mark.parametrize(("mode", "there"), [("enabled", False), ("forced", True)])
def test_a_gateway_may_opt_out_of_rules_by_the_models_name(mode: str, there: bool) -> None:
    own = {"ingress": {"modelBasedRoutingMode": mode}}
    platform = gateway("kserve-ingress-gateway", "kserve", **{ROUTING: "false"})
    assert ("v1-model-routing" in rules(route(router(), platform, settings=own))) == there
    mine = gateway("mine", "models", **{ROUTING: "false"})
    spec = router(gateway={"refs": [{"name": "mine"}]})
    assert ("v1-model-routing" in rules(route(spec, mine, settings=own))) == there
    assert "v1-model-routing" in rules(route(spec, platform, settings=own))


def test_adapters_are_matched_like_the_model() -> None:
    adapters = [{"name": name, "uri": "hf://o/a"} for name in ("b", "a")]
    spec = {**router(), "model": {"uri": "hf://o/m", "name": "m", "lora": {"adapters": adapters}}}
    found = rules(route(spec))
    values = [match["headers"][0]["value"] for match in found["v1-catch-all-model-routing"]["matches"]]
    assert values == [f"publishers/models/models/{name}" for name in ("m", "a", "b")]
    assert len(found["v1-model-routing"]["matches"]) == 24
    assert len(found["v1-completions-path"]["matches"]) == 1


@pytest.mark.parametrize(("count", "refused"), [(7, False), (8, True)])
def test_the_gateway_api_takes_so_many_matches(count: int, refused: bool) -> None:
    adapters = [{"name": f"a{index}", "uri": "hf://o/a"} for index in range(count)]
    spec = {**router(), "model": {"uri": "hf://o/m", "name": "m", "lora": {"adapters": adapters}}}
    wanted = [("spec.model.lora.adapters", "error", "too-many-matches")]
    assert findings(manifest(spec)) == (wanted if refused else [])


def test_the_gateway_api_takes_so_many_rules() -> None:
    http = {"spec": {"rules": [{"name": f"r{index}"} for index in range(17)]}}
    assert [path for path, _, _ in findings(manifest(router(route={"http": http})))] == [
        "spec.router.route.http.spec.rules"
    ]


def test_timeouts_can_be_left_out() -> None:
    own = {"ingress": {"disableHTTPRouteTimeout": True}}
    assert all("timeouts" not in rule for rule in route(router(), settings=own)["spec"]["rules"])
    rule = {"timeouts": {"request": "10s"}, "backendRefs": [{"name": "x", "port": 1}]}
    http = {"http": {"spec": {"rules": [rule]}}}
    assert route(router(route=http), settings=own)["spec"]["rules"][0]["timeouts"] == {"request": "10s"}
    base = config({"router": {"route": http}})
    found = route({"baseRefs": [{"name": "base"}], **router()}, base, settings=own)
    assert found["spec"]["rules"][0]["timeouts"] == {"request": "10s"}


def test_a_group_is_a_label_of_the_route() -> None:
    spec = router(route={"group": "canary", "weight": 10})
    assert findings(manifest(spec)) == [("spec.router.route.group", "warning", "no-effect")]
    assert route(spec)["metadata"]["labels"]["serving.kserve.io/routing-group"] == "canary"


def test_the_name_of_the_route() -> None:
    assert route(router())["metadata"]["name"] == "chat-kserve-route"


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"route": {"http": {"refs": [{"name": "a"}], "spec": {"hostnames": ["b"]}}}}, "spec.router.route.http"),
        ({"route": {"http": {"refs": [{"name": "a"}]}}, "gateway": {}}, "spec.router.route.http.refs"),
        (
            {
                "route": {"http": {"spec": {"parentRefs": [{"name": "a"}]}}},
                "gateway": {"refs": [{"name": "b"}]},
            },
            "spec.router.route.http.spec.parentRefs",
        ),
    ],
)
def test_what_does_not_go_together(spec: dict[str, Any], path: str) -> None:
    assert [found for found, _, _ in findings(manifest({"router": spec}))] == [path]


def test_the_same_gateways_twice_are_no_problem() -> None:
    spec = {"route": {"http": {"spec": {"parentRefs": [{"name": "b"}]}}}, "gateway": {"refs": [{"name": "b"}]}}
    assert findings(manifest({"router": spec})) == []


@pytest.mark.parametrize("name", ["a b", "a//b", "../x", "a/..", "a?b", "a%2fb", "a/"])
def test_a_models_name_is_part_of_paths(name: str) -> None:
    spec = {**router(), "model": {"uri": "hf://o/m", "name": name}}
    assert [found for found, _, _ in findings(manifest(spec))] == ["spec.model.name"]
    assert findings(manifest({"model": {"uri": "hf://o/m", "name": name}})) == []


@pytest.mark.parametrize("name", ["org/model", "demo-3.2b", "a@b:c", "m%20n", "Qwen2.5_7B+x"])
def test_names_that_a_path_may_hold(name: str) -> None:
    assert findings(manifest({**router(), "model": {"uri": "hf://o/m", "name": name}})) == []
