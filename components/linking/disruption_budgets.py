"""PodDisruptionBudgets that let no pod be evicted, so that the nodes of the pods are never drained."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..findings import Problem
from ..kubernetes.existing import Existing
from ..kubernetes.objects import Key
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, value_at

_BUDGET = "PodDisruptionBudget"
_Labelled = dict[tuple[str, ...], dict[Key, RenderedObject]]
_SCALERS = {"HorizontalPodAutoscaler": "minReplicas", "ScaledObject": "minReplicaCount"}


def blocked_drains(objects: Sequence[RenderedObject], sources: Iterable[Source]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each budget, rendered or in the manifests, that lets none of its services' fewest pods be
    evicted."""
    budgets = [(record.source, record.field, record.body) for record in objects if record.kind == _BUDGET]
    for source in sources:
        if type(source.manifest) is Existing and source.manifest.kind == _BUDGET:
            budgets.append((source, "spec", source.manifest.as_object()))
    fewest, labelled = (_scaled(objects), _labelled(objects)) if budgets else ({}, {})
    for source, path, budget in budgets:
        pods = sum(_pods(record, fewest) for record in _selected(budget, labelled))
        bound = _bound(mapping(budget.get("spec")), pods) if pods else ""
        if bound:
            few = "the only pod" if pods == 1 else f"any of {pods} pods"
            message = (
                f"the PodDisruptionBudget with {bound} lets nobody evict {few}, so nodes are never drained; write "
                "maxUnavailable: 1"
            )
            yield source, Problem(path, message, "warning", "blocks-drain")


def _scaled(objects: Iterable[RenderedObject]) -> dict[tuple[str, Any], int]:
    """The fewest replicas of each workload with an autoscaler, by namespace and name."""
    found: dict[tuple[str, Any], int] = {}
    for record in objects:
        least = value_at(record.body, "spec", _SCALERS.get(record.kind, ""))
        name = value_at(record.body, "spec", "scaleTargetRef", "name")
        if name is not None:
            found[record.key.namespace, name] = least if isinstance(least, int) else 1
    return found


def _pods(record: RenderedObject, fewest: Mapping[tuple[str, Any], int]) -> int:
    """The fewest pods of a workload, including all pods of a LeaderWorkerSet's groups."""
    replicas = value_at(record.body, "spec", "replicas")
    count = replicas if isinstance(replicas, int) else fewest.get((record.key.namespace, record.key.name), 1)
    size = value_at(record.body, "spec", "leaderWorkerTemplate", "size")
    return count * (size if isinstance(size, int) else 1)


def _labelled(objects: Iterable[RenderedObject]) -> _Labelled:
    found: _Labelled = {}
    for record in objects:
        for _, template in pod_templates(record.body):
            for label in mapping(mapping(template.get("metadata")).get("labels")).items():
                found.setdefault((record.key.namespace, *map(str, label)), {})[record.key] = record
    return found


def _selected(budget: Mapping[str, Any], labelled: _Labelled) -> list[RenderedObject]:
    """The workloads that a budget selects by labels; none if it has expressions."""
    selector = mapping(value_at(budget, "spec", "selector"))
    if "matchExpressions" in selector:
        return []
    namespace = budget["metadata"].get("namespace")
    wanted = [(namespace, *map(str, label)) for label in mapping(selector.get("matchLabels")).items()]
    several = sorted((labelled.get(label, {}) for label in wanted), key=len)
    return [record for key, record in several[0].items() if all(key in each for each in several)] if several else []


def _bound(spec: Mapping[str, Any], pods: int) -> str:
    """The bound that lets none of so many pods be evicted; empty if one may be."""
    most, least = _count(spec.get("maxUnavailable"), pods), _count(spec.get("minAvailable"), pods)
    if most == 0:
        return f"maxUnavailable: {spec['maxUnavailable']}"
    return f"minAvailable: {spec['minAvailable']}" if least is not None and least >= pods else ""


def _count(value: Any, pods: int) -> int | None:
    """A number of pods, or a percentage as Kubernetes rounds it; None for other values."""
    text = str(value)
    if text.endswith("%") and text[:-1].isdecimal():
        return math.ceil(int(text[:-1]) * pods / 100)
    return int(text) if text.isdecimal() else None
