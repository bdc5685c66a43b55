"""The nodes of a cluster: which ones the pods of an update may run on, and which accelerators are free."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..kubernetes.values import mapping, mappings, value_at
from .connection import Cluster, ClusterError
from .pods import accelerators_among, pods_of

_NOT_ENDED = "/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded,status.phase%21%3DFailed"
_TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")

_OPERATORS: Mapping[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, values: value is not None,
    "DoesNotExist": lambda value, values: value is None,
    "Gt": lambda value, values: value is not None and value.isdigit() and int(value) > int(values[0]),
    "Lt": lambda value, values: value is not None and value.isdigit() and int(value) < int(values[0]),
}


class Nodes(NamedTuple):
    """``labels`` of each node; ``free`` accelerators of schedulable nodes, or None if unknown."""

    labels: tuple[Mapping[str, str], ...]
    free: int | None

    def matching(self, pod: Mapping[str, Any]) -> int:
        """The number of nodes with the labels that a pod's spec asks for. Taints and free resources are ignored."""
        return sum(_matches(labels, pod) for labels in self.labels)


def nodes_of(cluster: Cluster, *, with_free: bool) -> Nodes | None:
    """The current nodes, or None if the user may not list them.

    ``with_free`` also counts free accelerators, which requires reading all pods of the cluster.
    """
    try:
        nodes = mappings(mapping(cluster.get("/api/v1/nodes")).get("items"))
    except ClusterError:
        return None
    free = _free(nodes, cluster) if with_free else None
    return Nodes(tuple(node["metadata"].get("labels", {}) for node in nodes), free)


def chooses_nodes(pod: Mapping[str, Any]) -> bool:
    """Whether a pod's spec asks for nodes with certain labels."""
    return bool(pod.get("nodeSelector") or value_at(pod, *_TERMS))


def node_labels(pod: Mapping[str, Any]) -> str:
    """The node labels that a pod's spec asks for, in readable form."""
    selector = [f"{name}={value}" for name, value in sorted(mapping(pod.get("nodeSelector")).items())]
    terms = [", ".join(map(_written, _expressions(term))) for term in mappings(value_at(pod, *_TERMS))]
    return ", ".join([*selector, " or ".join(terms)] if terms else selector)


def _matches(labels: Mapping[str, str], pod: Mapping[str, Any]) -> bool:
    terms = mappings(value_at(pod, *_TERMS))
    wanted = mapping(pod.get("nodeSelector")).items() <= labels.items()
    return wanted and (not terms or any(_fulfils(labels, term) for term in terms))


def _fulfils(labels: Mapping[str, str], term: Mapping[str, Any]) -> bool:
    """A term without expressions matches no node. A requirement on a node's name counts as fulfilled."""
    expressions = _expressions(term)
    tests = (_OPERATORS[e["operator"]](labels.get(e["key"]), e.get("values") or []) for e in expressions)
    return bool(expressions or term.get("matchFields")) and all(tests)


def _expressions(term: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(term.get("matchExpressions"))


def _written(expression: Mapping[str, Any]) -> str:
    values = expression.get("values")
    return " ".join([expression["key"], expression["operator"], *([f"({', '.join(values)})"] if values else [])])


def _free(nodes: Iterable[Mapping[str, Any]], cluster: Cluster) -> int | None:
    offered = {
        node["metadata"]["name"]: accelerators_among(mapping(value_at(node, "status", "allocatable")))
        for node in nodes
        if not value_at(node, "spec", "unschedulable")
    }
    if not any(offered.values()):
        return 0
    try:
        pods = mappings(mapping(cluster.get(_NOT_ENDED)).get("items"))
    except ClusterError:
        return None
    return sum(offered.values()) - sum(
        pods_of(pod).gpus for pod in pods if value_at(pod, "spec", "nodeName") in offered
    )
