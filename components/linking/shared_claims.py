"""Claims that only one node at a time can mount, while several pods mount one: pods on other nodes wait forever."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..families import Plan
from ..findings import Problem
from ..kubernetes.access_modes import access_modes, is_of_one_node
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.pod_edits import SERVERS
from ..kubernetes.pod_templates import pods
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mappings, value_at

_CLAIM = "PersistentVolumeClaim"
_ADVICE = "use a claim with access mode ReadOnlyMany or ReadWriteMany"
_SCALERS = {"HorizontalPodAutoscaler": "maxReplicas", "ScaledObject": "maxReplicaCount"}

Name = tuple[str, str]


def claims_of_one_node(
    plan: Plan, objects: Sequence[RenderedObject], manifests: Iterable[Manifest]
) -> Iterator[tuple[Source, Problem]]:
    """A warning for each service whose pods share a claim of one node, unless OME's storage keys have reported it."""
    said = {service.source for service in plan.services if "shared-claim" in {p.code for p in service.problems}}
    made = {(service.namespace, name): claim for service in plan.services for name, claim in service.claims.items()}
    modes = {claim: [known.mode] for claim, known in made.items()} | dict(_modes(manifests, objects))
    most = dict(_most_pods(objects))
    counts: Counter[tuple[Source, Name]] = Counter()  # of all workloads of a service, such as decode and prefill
    for record in objects if modes else ():
        source, added = record.source, _pods(record, most)
        if not added or source in said:
            continue
        for claim in dict.fromkeys(_claims(record)):
            counts[source, claim] += added
            known_modes, count = modes.get(claim, []), counts[source, claim]
            if count > 1 and is_of_one_node(known_modes):
                advice = made[claim].advice if claim in made else _ADVICE
                message = (
                    f"up to {count} pods share claim {claim[1]}, but only one node can mount it with access mode "
                    f"{known_modes[0]}; {advice}, or run one pod"
                )
                yield source, Problem(record.replicas, message, "warning", "claim-of-one-node")
                said.add(source)
                break


def _modes(manifests: Iterable[Manifest], objects: Iterable[RenderedObject]) -> Iterator[tuple[Name, list[str]]]:
    """The access modes of each claim that states some; those of rendered claims come last."""
    claims = ((m.namespace, m.name, m.body("spec")) for m in manifests if isinstance(m, Existing) and m.kind == _CLAIM)
    rendered = ((*_name(record), record.body.get("spec")) for record in objects if record.key.kind == _CLAIM)
    for namespace, name, spec in chain(claims, rendered):
        if modes := access_modes(spec):
            yield (namespace, name), modes


def _name(record: RenderedObject) -> Name:
    return record.key.namespace, record.key.name


def _most_pods(objects: Iterable[RenderedObject]) -> Iterator[tuple[Name, int]]:
    for record in objects:
        if field := _SCALERS.get(record.key.kind):
            most = value_at(record.body, "spec", field)
            target = value_at(record.body, "spec", "scaleTargetRef", "name")
            if isinstance(most, int) and isinstance(target, str):
                yield (record.key.namespace, target), most


def _pods(record: RenderedObject, most: Mapping[Name, int]) -> int:
    """The most pods of a Deployment or of LeaderWorkerSet groups; 0 for other kinds."""
    if record.key.kind not in SERVERS:
        return 0
    obj = record.body
    replicas, size = value_at(obj, "spec", "replicas"), value_at(obj, "spec", "leaderWorkerTemplate", "size")
    copies = most.get(_name(record), replicas if isinstance(replicas, int) else 1)
    return copies * (size if isinstance(size, int) else 1)


def _claims(record: RenderedObject) -> Iterator[Name]:
    for pod in pods(record.body):
        for volume in mappings(pod.spec.get("volumes")):
            claim = value_at(volume, "persistentVolumeClaim", "claimName")
            if isinstance(claim, str):
                yield record.key.namespace, claim
