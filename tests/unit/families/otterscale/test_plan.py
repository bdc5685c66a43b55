"""Several ModelServices in a stack: what collides, what does not, and that children keep their roles.

That Pulumi replaces nothing and deletes what disappears is for the integration tests.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.findings import errors
from modelservices.kubernetes.objects import key

from .services import MONITORING, PICKER, PREFILL, manifest, objects, plan, rendered

EPP = [
    *("service-account", "role", "role-binding", "cluster-role", "cluster-role-binding", "token-secret"),
    *("config-map", "deployment", "service", "destination-rule", "service-monitor"),
]


def test_components_and_roles() -> None:
    service = rendered({**PREFILL, **PICKER, **MONITORING})
    assert (service.component, service.kind, service.name) == ("PrefillDecodeComponent", "ModelService", "chat")
    assert list(service.objects) == [
        *("decode-deployment", "decode-pod-monitor", "prefill-deployment", "prefill-pod-monitor", "pool", "route"),
    ]
    assert [(role, part.component) for role, part in service.parts.items()] == [("epp", "EPPComponent")]
    assert list(service.parts["epp"].objects) == EPP


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, PREFILL),
        (PICKER, {"inferencePool": {"endpointPicker": {"replicas": 3}}}),
        ({}, {"engine": {"image": "other", "port": 9000}}),
        (PICKER, MONITORING),
    ],
)
def test_an_object_that_stays_keeps_role_and_identity(before: dict[str, Any], after: dict[str, Any]) -> None:
    """And its selector, which can't be changed."""
    one, two = objects(before), objects(after)
    for role in one.keys() & two.keys():
        assert key(one[role]) == key(two[role])
        if one[role]["kind"] == "Deployment":
            assert one[role]["spec"]["selector"] == two[role]["spec"]["selector"]
        if "roleRef" in one[role]:
            assert one[role]["roleRef"] == two[role]["roleRef"]


def test_labels_that_change_are_in_no_selector() -> None:
    old, new = (objects(MONITORING, {"version": version}) for version in ("v1", "v2"))
    for role, obj in old.items():
        if "selector" in obj.get("spec", {}):
            assert obj["spec"]["selector"] == new[role]["spec"]["selector"]


def test_a_queue_of_kueue_gets_the_workload() -> None:
    queue = {"kueue.x-k8s.io/queue-name": "team-a"}
    given = manifest()
    given["metadata"]["labels"] = {**queue, "team": "search"}
    (found,) = plan(given).raise_for_errors().services
    body = found.objects["decode-deployment"]
    for metadata in (body["metadata"], body["spec"]["template"]["metadata"]):
        assert (queue.items() <= metadata["labels"].items(), "team" in metadata["labels"]) == (True, False)
    assert queue.keys().isdisjoint(body["spec"]["selector"]["matchLabels"])


@pytest.mark.parametrize("other", ["a-b", "a--b"])
def test_names_that_become_equal_collide(other: str) -> None:
    """The picker's objects have the sanitised name; one message for the pair."""
    (found,) = errors(plan(manifest(name="a.b"), manifest(name=other)).findings)
    assert (found.code, found.object) == ("name-collision", f"ModelService models/{other}")
    assert found.message.startswith("would make ")
    assert found.message.endswith("models/a-b-epp, which ModelService models/a.b also makes; rename one of them")


def test_cluster_scoped_names_of_two_namespaces_collide() -> None:
    """a + b-c and a-b + c make the same ClusterRole."""
    services = [manifest(PICKER, name="b-c", namespace="a"), manifest(PICKER, name="c", namespace="a-b")]
    found = errors(plan(*services).findings)
    assert [finding.message.split(",")[0] for finding in found] == [
        "would make ClusterRole a-b-c-epp",
    ]


def test_services_side_by_side() -> None:
    """Two in one namespace, and one of the same name in another."""
    planned = plan(manifest(PICKER), manifest(PICKER, name="code"), manifest(PICKER, namespace="other"))
    assert errors(planned.findings) == []
    identities = [key(obj) for obj in planned.all_objects()]
    assert len(set(identities)) == len(identities) == 3 * (3 + 10)


@pytest.mark.parametrize(
    ("one", "two", "conflict"),
    [
        ({}, {}, True),
        ({"httpRoute": {"gatewayRef": {"name": "gw"}}}, {}, False),
        ({"httpRoute": {"gatewayRef": {"name": "gw"}}}, {"httpRoute": {"gatewayRef": {"name": "gw"}}}, False),
        (
            {"httpRoute": {"gatewayRef": {"name": "gw", "namespace": "g"}, "hostnames": ["a.com", "b.com"]}},
            {"httpRoute": {"gatewayRef": {"name": "gw", "namespace": "g"}, "hostnames": ["c.com", "b.com"]}},
            True,
        ),
        (
            {"httpRoute": {"gatewayRef": {"name": "gw", "namespace": "g"}, "hostnames": ["a.com"]}},
            {"httpRoute": {"gatewayRef": {"name": "gw", "namespace": "g"}, "hostnames": ["b.com"]}},
            False,
        ),
    ],
)
def test_routes_that_match_the_same_requests(one: dict[str, Any], two: dict[str, Any], conflict: bool) -> None:
    found = plan(manifest(one), manifest(two, namespace="other")).findings
    assert [(finding.path, finding.severity, finding.code) for finding in found] == (
        [("spec.httpRoute", "warning", "route-conflict")] if conflict else []
    )


def test_order_of_manifests_changes_nothing() -> None:
    services = [manifest(name="a"), manifest(PREFILL, name="b")]
    assert plan(*services).all_objects() == plan(*reversed(services)).all_objects()
