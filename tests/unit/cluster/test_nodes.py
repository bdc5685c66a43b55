"""Which nodes pods may run on, and which accelerators are free, with a cluster that answers from a table."""

from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster, Refused
from modelservices.cluster.nodes import Nodes, chooses_nodes, node_labels, nodes_of

LABELS = {"gpu": "h100", "zone": "a", "memory": "80"}


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": list(terms)}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


@pytest.mark.parametrize(
    ("pod", "matches"),
    [
        ({}, 1),
        ({"nodeSelector": {"gpu": "h100", "zone": "a"}}, 1),
        ({"nodeSelector": {"gpu": "a100"}}, 0),
        (affinity(expression("gpu", "In", "a100", "h100")), 1),
        (affinity(expression("gpu", "NotIn", "h100")), 0),
        (affinity(expression("spot", "NotIn", "true")), 1),
        (affinity(expression("gpu", "Exists")), 1),
        (affinity(expression("gpu", "DoesNotExist")), 0),
        (affinity(expression("memory", "Gt", "40")), 1),
        (affinity(expression("memory", "Lt", "80")), 0),
        (affinity(expression("spot", "Gt", "1")), 0),
        (affinity(expression("gpu", "In", "a100"), expression("zone", "In", "a")), 1),
        ({"nodeSelector": {"zone": "b"}, **affinity(expression("gpu", "Exists"))}, 0),
        (affinity({}), 0),
    ],
)
def test_what_a_pod_asks_of_its_node(pod: dict[str, Any], matches: int):
    assert Nodes((LABELS,), 0).matching(pod) == matches
    assert chooses_nodes(pod) is bool(pod)


def test_what_is_asked_is_written_as_people_do():
    pod = {
        "nodeSelector": {"zone": "a"},
        **affinity(expression("gpu", "In", "a100", "h100"), expression("x", "Exists")),
    }
    assert node_labels(pod) == "zone=a, gpu In (a100, h100) or x Exists"


def node(name: str, gpus: str, **spec: Any) -> dict[str, Any]:
    status = {"allocatable": {"cpu": "8", "nvidia.com/gpu": gpus}}
    return {"metadata": {"name": name, "labels": {"name": name}}, "spec": spec, "status": status}


def pod_on(name: str | None, gpus: str) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": gpus, "memory": "1Gi"}
    spec = {"containers": [{"name": "server", "resources": {"limits": limits}}], **({"nodeName": name} if name else {})}
    return {"metadata": {"name": "p"}, "spec": spec}


class Table:
    def __init__(self, nodes: list[dict[str, Any]] | None, pods: list[dict[str, Any]] | None) -> None:
        self.items = {"/api/v1/nodes": nodes, "/api/v1/pods": pods}

    def get(self, path: str) -> dict[str, Any]:
        items = self.items[path.partition("?")[0]]
        if items is None:
            raise Refused(403, "forbidden", path)
        return {"items": items}


def test_accelerators_of_nodes_that_take_pods_less_those_in_use():
    nodes = [node("a", "8"), node("b", "4"), node("drained", "8", unschedulable=True)]
    pods = [pod_on("a", "2"), pod_on("b", "4"), pod_on("drained", "8"), pod_on(None, "8")]
    labels = ({"name": "a"}, {"name": "b"}, {"name": "drained"})
    assert nodes_of(cast(Cluster, Table(nodes, pods)), with_free=True) == Nodes(labels, 6)
    assert nodes_of(cast(Cluster, Table(nodes, None)), with_free=False) == Nodes(labels, None)


def test_what_may_not_be_listed_is_not_known():
    assert nodes_of(cast(Cluster, Table(None, [])), with_free=True) is None
    found = nodes_of(cast(Cluster, Table([node("a", "8")], None)), with_free=True)
    assert found is not None and found.free is None
