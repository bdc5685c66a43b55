"""Claims that one node at a time can mount, and several pods that mount one: those of other nodes wait for ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..families import Plan
from ..findings import Problem
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_templates import pods
from ..kubernetes.values import mapping, mappings, value_at

_ONE_NODE = frozenset(["ReadWriteOnce", "ReadWriteOncePod"])
_OWN_CODES = frozenset(["claim-of-one-node", "shared-claim"])
"""What the families say of the claims that they know by themselves."""
_SCALERS = {"HorizontalPodAutoscaler": "maxReplicas", "ScaledObject": "maxReplicaCount"}

_COUNTS = ("spec.replicas", "spec.scaling.maxReplicas", "spec.engine.maxReplicas", "spec.engine.minReplicas")

Name = tuple[str, str]


def claims_of_one_node(plan: Plan, manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, Problem]]:
    """A warning for each service whose pods share a claim of one node, unless its family has said so."""
    said = {id(manifest) for manifest, problem in _problems(plan) if problem.code in _OWN_CODES}
    modes = {**_modes_of_manifests(manifests), **_modes_of_objects(obj for _, obj in plan.made())}
    most = _most_pods(obj for _, obj in plan.made())
    for manifest, obj, path in plan.made_of_fields():
        count = _pods(obj, most)
        if count < 2 or id(manifest) in said or not modes:
            continue
        for claim in _claims(obj):
            found = modes.get((obj["metadata"].get("namespace", ""), claim), ())
            if found and _ONE_NODE.issuperset(found):
                message = (
                    f"up to {count} pods share claim {claim}, whose access mode {found[0]} lets only one node mount "
                    "it: use a claim that several nodes can mount (ReadOnlyMany or ReadWriteMany), or run one pod"
                )
                yield manifest, Problem(_field(manifest) or path, message, "warning", "claim-of-one-node")
                said.add(id(manifest))
                break


def _field(manifest: Manifest) -> str:
    """The field that says how many pods there are; empty where none is there."""
    for path in _COUNTS:
        value: Any = manifest
        for name in path.split("."):
            value = getattr(value, name, None)
        if value is not None:
            return path
    return ""


def _problems(plan: Plan) -> Iterator[tuple[Manifest, Problem]]:
    yield from plan.problems
    yield from ((manifest, problem) for manifest, service in plan.services for problem in service.problems)


def _modes_of_manifests(manifests: Sequence[Manifest]) -> dict[Name, Sequence[str]]:
    there = [m for m in manifests if isinstance(m, Existing) and m.kind == "PersistentVolumeClaim"]
    return {(m.namespace, m.name): _texts(mapping(m.body("spec")).get("accessModes")) for m in there}


def _modes_of_objects(objects: Iterator[Object]) -> dict[Name, Sequence[str]]:
    there = [obj for obj in objects if obj["kind"] == "PersistentVolumeClaim"]
    return {_name(obj): _texts(value_at(obj, "spec", "accessModes")) for obj in there}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _name(obj: Mapping[str, Any]) -> Name:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _most_pods(objects: Iterator[Object]) -> dict[Name, int]:
    """Workloads under an autoscaler, by namespace and name, and the most replicas that it makes."""
    found: dict[Name, int] = {}
    for obj in objects:
        most = value_at(obj, "spec", _SCALERS.get(obj["kind"], "-"))
        target = value_at(obj, "spec", "scaleTargetRef", "name")
        if isinstance(most, int) and isinstance(target, str):
            found[obj["metadata"].get("namespace", ""), target] = most
    return found


def _pods(obj: Object, most: Mapping[Name, int]) -> int:
    """The most pods of a Deployment or of groups; 0 for anything else."""
    if obj["kind"] not in ("Deployment", "LeaderWorkerSet"):
        return 0
    replicas, size = value_at(obj, "spec", "replicas"), value_at(obj, "spec", "leaderWorkerTemplate", "size")
    copies = most.get(_name(obj), replicas if isinstance(replicas, int) else 1)
    return copies * (size if isinstance(size, int) else 1)


def _claims(obj: Object) -> Iterator[str]:
    for pod in pods(obj):
        for volume in mappings(pod.spec.get("volumes")):
            claim = value_at(volume, "persistentVolumeClaim", "claimName")
            if isinstance(claim, str):
                yield claim
