"""What is said of a cluster before anything is registered, with a cluster that answers from a table.

That a real API server answers so is shown in tests/integration.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster, Lookup
from modelservices.cluster.preflight import Rules, Verdict, changed_fields, preflight, wanted
from modelservices.kubernetes.objects import Key, Object, key
from modelservices.kubernetes.rendered import RenderedComponent, RenderedObject
from modelservices.kubernetes.scalars import Opaque

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "x", "namespace": "n"},
    "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}},
}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "n"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}},
}
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "b", "namespace": "n"},
    "roleRef": {"kind": "Role", "name": "b"},
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "n"}, "spec": {}}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t", "namespace": "n"}}
SET = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "metadata": {"name": "x", "namespace": "n"},
    "spec": {"serviceName": "x"},
}
POOL = {
    "apiVersion": "inference.networking.k8s.io/v1",
    "kind": "InferencePool",
    "metadata": {"name": "p", "namespace": "n"},
    "spec": {},
}
PRIORITY = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "llmkube-normal"},
    "value": 1,
}


@dataclass
class Table:
    """A cluster by what is in it."""

    live: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    refused: dict[Key, str] = field(default_factory=dict)

    def resources(self, api_version: str) -> dict[str, str]:
        known = "Deployment", "PersistentVolumeClaim", "PriorityClass", *(identity.kind for identity in self.refused)
        return {kind: kind.lower() for kind in known}

    def objects(self, identities: Iterable[Key]) -> Lookup:
        wanted = list(identities)
        return Lookup(
            {identity: self.live[identity] for identity in wanted if identity in self.live},
            {identity: self.refused[identity] for identity in wanted if identity in self.refused},
        )

    metadata = objects


def service(*objects: Object, shared: tuple[Object, ...] = (), chart: tuple[Object, ...] = ()) -> RenderedComponent:
    records = [
        *(RenderedObject(obj["kind"].lower(), obj) for obj in objects),
        *(RenderedObject(f"shared-{i}", obj, lifetime="shared") for i, obj in enumerate(shared)),
        *(RenderedObject(f"chart-{i}", obj, lifetime="chart") for i, obj in enumerate(chart)),
    ]
    return RenderedComponent("PrefillDecodeComponent", "ModelService", "n", "x", tuple(records))


RULES = Rules("modelservices:o/p/dev", "dev")


def marked(obj: Object, manager: str, **metadata: Any) -> Object:
    fields = {"managedFields": [{"manager": manager}], **metadata}
    return {**obj, "metadata": {**obj["metadata"], **fields}}


def cluster(*live: Mapping[str, Any], refused: dict[Key, str] | None = None) -> Cluster:
    return cast(Cluster, Table({key(obj): obj for obj in live}, refused or {}))


def with_spec(obj: Object, **spec: Any) -> Object:
    return {**obj, "spec": {**obj["spec"], **spec}}


def test_a_missing_kind_is_named_with_who_needs_it_and_where_it_comes_from():
    assert preflight(wanted([service(DEPLOYMENT, POOL)]), cluster(), RULES).missing == [
        "the cluster does not know InferencePool (inference.networking.k8s.io/v1), needed by ModelService n/x; install "
        "the CRDs of Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)"
    ]
    assert preflight(wanted([service(DEPLOYMENT)]), cluster(), RULES) == Verdict()


def test_objects_of_others_are_named_with_the_ways_out():
    verdict = preflight(wanted([service(DEPLOYMENT, CLAIM)]), cluster(marked(DEPLOYMENT, "kubectl")), RULES)
    assert verdict.stopping == [
        "Deployment n/x exists already and was not made by this stack; rename one of the two, or list it under "
        "modelservices:adopt for one update, after which the stack owns it and deletes it when the stack goes"
    ]


def test_objects_of_this_stack_are_no_strangers():
    own = cluster(marked(DEPLOYMENT, "modelservices:o/p/dev"))
    assert preflight(wanted([service(DEPLOYMENT)]), own, RULES).stopping == []
    (line,) = preflight(wanted([service(DEPLOYMENT)]), own, Rules("modelservices:o/p/prod", "prod")).stopping
    assert line.startswith("Deployment n/x exists already and belongs to stack o/p/dev; rename")


def test_only_listed_objects_are_adopted():
    live = cluster(marked(DEPLOYMENT, "kubectl"), marked(CLAIM, "kubectl"))
    some = Rules("modelservices:o/p/dev", "dev", adopt=frozenset(["Deployment n/x"]))
    verdict = preflight(wanted([service(DEPLOYMENT, CLAIM)]), live, some)
    assert verdict.adopted == [key(DEPLOYMENT)]
    (line,) = verdict.stopping
    assert line.startswith("PersistentVolumeClaim n/c exists already")
    everything = Rules("modelservices:o/p/dev", "dev", adopt=True)
    assert preflight(wanted([service(DEPLOYMENT, CLAIM)]), live, everything) == Verdict(
        adopted=[key(DEPLOYMENT), key(CLAIM)]
    )


def test_an_object_that_goes_with_a_custom_resource_is_never_taken_over():
    owner = {"kind": "InferenceService", "name": "x", "uid": "1", "controller": True}
    live = cluster(marked(DEPLOYMENT, "manager", ownerReferences=[owner]))
    rules = Rules("modelservices:o/p/dev", "dev", adopt=True)
    assert preflight(wanted([service(DEPLOYMENT)]), live, rules).stopping == [
        "Deployment n/x is owned by InferenceService x and would be deleted with it; run `modelservices adopt "
        "--stack dev`, which says how to take it over"
    ]


def test_a_retained_claim_may_be_another_stacks_too_but_nobody_elses():
    planned = replace(wanted([service(shared=(CLAIM,))]), retained=frozenset([key(CLAIM)]))
    assert preflight(planned, cluster(marked(CLAIM, "modelservices:o/p/prod")), RULES) == Verdict()
    (line,) = preflight(planned, cluster(marked(CLAIM, "llmkube")), RULES).stopping
    assert line.startswith("PersistentVolumeClaim n/c exists already and was not made by this stack")


def test_an_object_that_may_not_be_read_stops_the_program_and_the_others_are_looked_at():
    table = cluster(marked(DEPLOYMENT, "kubectl"), refused={key(POOL): "this user lacks the right to get pools"})
    assert [
        line.partition(" exists")[0] for line in preflight(wanted([service(DEPLOYMENT, POOL)]), table, RULES).stopping
    ] == [
        "InferencePool n/p can't be read, so it may belong to someone else: this user lacks the right to get pools",
        "Deployment n/x",
    ]


def test_a_change_that_would_replace_a_workload_is_refused_unless_allowed():
    live = cluster(marked(with_spec(DEPLOYMENT, selector={"matchLabels": {"app": "old"}}), RULES.manager))
    (line,) = preflight(wanted([service(DEPLOYMENT)]), live, RULES).stopping
    assert line == (
        "Deployment n/x: spec.selector can't change in place, so the Deployment would be deleted and made again, an "
        "outage: undo the change, or accept it with allowReplace in modelservices:settings"
    )
    assert preflight(wanted([service(DEPLOYMENT)]), live, replace(RULES, allow_replace=True)) == Verdict()


def test_a_claim_that_would_be_replaced_is_said_to_lose_its_data():
    live = cluster(marked(with_spec(CLAIM, accessModes=["ReadWriteMany"]), RULES.manager))
    (line,) = preflight(wanted([service(shared=(CLAIM,))]), live, RULES).stopping
    assert "the PersistentVolumeClaim would be deleted and made again, and what is in it lost: undo" in line


def test_a_claim_grows_but_never_shrinks():
    smaller = with_spec(CLAIM, resources={"requests": {"storage": "50Gi"}})
    planned = wanted([service(shared=(CLAIM,))])
    assert preflight(planned, cluster(marked(smaller, RULES.manager)), RULES) == Verdict()
    live = cluster(marked(CLAIM, RULES.manager))
    assert preflight(wanted([service(shared=(smaller,))]), live, replace(RULES, allow_replace=True)).stopping == [
        "PersistentVolumeClaim n/c: spec.resources.requests.storage can't shrink from 100Gi to 50Gi; keep 100Gi or more"
    ]


@pytest.mark.parametrize(
    ("wanted", "live", "changed"),
    [
        (CLAIM, with_spec(CLAIM, storageClassName="standard", volumeName="pv-1"), []),
        (
            with_spec(CLAIM, storageClassName="fast"),
            with_spec(CLAIM, storageClassName="slow"),
            ["spec.storageClassName"],
        ),
        (CLAIM, with_spec(CLAIM, accessModes=["ReadWriteMany"]), ["spec.accessModes"]),
        (with_spec(CLAIM, storageClassName=Opaque("an Output")), with_spec(CLAIM, storageClassName="slow"), []),
        (DEPLOYMENT, with_spec(DEPLOYMENT, replicas=5, strategy={"type": "Recreate"}), []),
        (BINDING, {**BINDING, "roleRef": {"kind": "Role", "name": "old"}}, ["roleRef"]),
        (SERVICE, with_spec(SERVICE, clusterIP="10.0.0.7", type="ClusterIP"), []),
        (with_spec(SERVICE, clusterIP="None"), with_spec(SERVICE, clusterIP="10.0.0.7"), ["spec.clusterIP"]),
        ({**SECRET, "type": "Opaque"}, {**SECRET, "type": "kubernetes.io/tls"}, ["type"]),
        (SECRET, {**SECRET, "immutable": True, "data": {"a": "eA=="}}, ["immutable"]),
        (
            {**SECRET, "immutable": True, "data": {"a": "eQ=="}},
            {**SECRET, "immutable": True, "data": {"a": "eA=="}},
            ["data"],
        ),
        (SET, with_spec(SET, serviceName="old", replicas=9), ["spec.serviceName"]),
    ],
)
def test_what_is_not_rendered_is_the_api_servers(wanted: Object, live: Object, changed: list[str]):
    assert changed_fields(wanted, live) == changed


def test_a_priority_class_of_the_operators_chart_is_used_as_it_is():
    planned = wanted([service(DEPLOYMENT, chart=(PRIORITY,))])
    assert preflight(planned, cluster(PRIORITY), RULES) == Verdict(present=[key(PRIORITY)])
    assert preflight(planned, cluster(), RULES) == Verdict()
