"""What is said of a cluster before anything is registered, with a cluster that answers from a table.

That a real API server answers so is shown in tests/integration.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from components.cluster.connection import Cluster
from components.cluster.immutable import changed_fields
from components.cluster.preflight import missing_kinds, replaced, taken, without_present_chart
from components.kubernetes.objects import Key, Object, Rendered, key
from components.planning.plan import StackPlan

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
    kinds: tuple[str, ...] = ("Deployment", "PersistentVolumeClaim", "PriorityClass")

    def resources(self, api_version: str) -> dict[str, str]:
        return {kind: kind.lower() for kind in self.kinds}

    def objects(self, identities: Iterable[Key]) -> dict[Key, Mapping[str, Any]]:
        return {identity: self.live[identity] for identity in identities if identity in self.live}

    def metadata(self, identities: Iterable[Key]) -> dict[Key, Mapping[str, Any]]:
        return {identity: obj["metadata"] for identity, obj in self.objects(identities).items()}


def plan(*objects: Object, shared: tuple[Object, ...] = (), chart: tuple[Object, ...] = ()) -> StackPlan:
    by_role = {obj["kind"].lower(): obj for obj in objects}
    service = Rendered("PrefillDecodeComponent", "ModelService", "n", "x", by_role, shared=shared, chart=chart)
    return StackPlan(services=(service,), objects=(), secrets=(), existing=(), findings=())


def cluster(*live: Mapping[str, Any], kinds: tuple[str, ...] = Table.kinds) -> Cluster:
    return cast(Cluster, Table({key(obj): obj for obj in live}, kinds))


def with_spec(obj: Object, **spec: Any) -> Object:
    return {**obj, "spec": {**obj["spec"], **spec}}


def test_a_missing_kind_is_named_with_who_needs_it_and_where_it_comes_from():
    assert missing_kinds(plan(DEPLOYMENT, POOL), cluster()) == [
        "the cluster does not know InferencePool (inference.networking.k8s.io/v1), needed by ModelService n/x; install "
        "the CRDs of Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)"
    ]
    assert missing_kinds(plan(DEPLOYMENT), cluster()) == []


def test_objects_of_others_are_named_with_the_ways_out():
    foreign = {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], "managedFields": [{"manager": "kubectl"}]}}
    (line,) = taken([key(DEPLOYMENT), key(CLAIM)], "modelservices:o/p/dev", cluster(foreign))
    assert line.startswith("Deployment n/x exists already and was not made by this stack: rename one of the two, or")


def test_objects_of_this_stack_are_no_strangers():
    own = {
        **DEPLOYMENT,
        "metadata": {**DEPLOYMENT["metadata"], "managedFields": [{"manager": "modelservices:o/p/dev"}]},
    }
    assert taken([key(DEPLOYMENT)], "modelservices:o/p/dev", cluster(own)) == []
    (line,) = taken([key(DEPLOYMENT)], "modelservices:o/p/prod", cluster(own))
    assert "belongs to stack o/p/dev" in line


def test_a_change_that_would_replace_a_workload_is_refused_unless_allowed():
    live = with_spec(DEPLOYMENT, selector={"matchLabels": {"app": "old"}})
    (line,) = replaced(plan(DEPLOYMENT), cluster(live), allowed=False)
    assert line.startswith("Deployment n/x: spec.selector can't change in place")
    assert replaced(plan(DEPLOYMENT), cluster(live), allowed=True) == []


def test_a_claim_grows_but_never_shrinks():
    smaller = with_spec(CLAIM, resources={"requests": {"storage": "50Gi"}})
    assert replaced(plan(shared=(CLAIM,)), cluster(smaller), allowed=False) == []
    assert replaced(plan(shared=(smaller,)), cluster(CLAIM), allowed=True) == [
        "PersistentVolumeClaim n/c: spec.resources.requests.storage can't shrink from 100Gi to 50Gi: keep 100Gi or more"
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
        (DEPLOYMENT, with_spec(DEPLOYMENT, replicas=5, strategy={"type": "Recreate"}), []),
    ],
)
def test_what_is_not_rendered_is_the_api_servers(wanted: Object, live: Object, changed: list[str]):
    assert changed_fields(wanted, live) == changed


def test_a_priority_class_of_the_operators_chart_is_used_as_it_is():
    planned, present = without_present_chart(plan(DEPLOYMENT, chart=(PRIORITY,)), cluster(PRIORITY))
    assert present == [key(PRIORITY)]
    assert planned.chart == ()
    planned, present = without_present_chart(plan(DEPLOYMENT, chart=(PRIORITY,)), cluster())
    assert (planned.chart, present) == ((PRIORITY,), [])
