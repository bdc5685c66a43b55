"""Claims that one node at a time can mount, and several pods that mount one: those of other nodes wait for ever."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..families import Plan
from ..findings import Problem
from ..kubernetes.claims import access_modes, is_of_one_node
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.pod_templates import pods
from ..kubernetes.values import mappings, value_at
from .made import Made

_CLAIM = "PersistentVolumeClaim"
_ADVICE = "use a claim with access mode ReadOnlyMany or ReadWriteMany"
_SCALERS = {"HorizontalPodAutoscaler": "maxReplicas", "ScaledObject": "maxReplicaCount"}

Name = tuple[str, str]


def claims_of_one_node(
    plan: Plan, objects: Sequence[Made], manifests: Sequence[Manifest]
) -> Iterator[tuple[Manifest, Problem]]:
    """A warning for each service whose pods share a claim of one node, unless that is said of OME's storage keys."""
    said = {id(manifest) for manifest, service in plan.services if "shared-claim" in {p.code for p in service.problems}}
    own = {(service.namespace, name): claim for _, service in plan.services for name, claim in service.claims.items()}
    modes = {claim: [known.mode] for claim, known in own.items()} | dict(_modes(manifests, objects))
    most = dict(_most_pods(objects))
    counts: Counter[tuple[int, Name]] = Counter()  # of a service's workloads together, such as decode and prefill
    for made in objects if modes else ():
        manifest, added = made.manifest, _pods(made, most)
        if not added or id(manifest) in said:
            continue
        for claim in dict.fromkeys(_claims(made)):
            counts[id(manifest), claim] += added
            found, count = modes.get(claim, []), counts[id(manifest), claim]
            if count > 1 and is_of_one_node(found):
                advice = own[claim].advice if claim in own else _ADVICE
                message = (
                    f"up to {count} pods share claim {claim[1]}, but only one node can mount it with access mode "
                    f"{found[0]}; {advice}, or run one pod"
                )
                yield manifest, Problem(made.replicas, message, "warning", "claim-of-one-node")
                said.add(id(manifest))
                break


def _modes(manifests: Iterable[Manifest], objects: Iterable[Made]) -> Iterator[tuple[Name, list[str]]]:
    """The access modes of each claim that says some, those of the stack's own objects last."""
    claims = ((m.namespace, m.name, m.body("spec")) for m in manifests if isinstance(m, Existing) and m.kind == _CLAIM)
    own = ((*_name(made), made.object.get("spec")) for made in objects if made.key.kind == _CLAIM)
    for namespace, name, spec in chain(claims, own):
        if modes := access_modes(spec):
            yield (namespace, name), modes


def _name(made: Made) -> Name:
    return made.key.namespace, made.key.name


def _most_pods(objects: Iterable[Made]) -> Iterator[tuple[Name, int]]:
    """Each workload under an autoscaler, and the most replicas that it makes."""
    for made in objects:
        if field := _SCALERS.get(made.key.kind):
            most = value_at(made.object, "spec", field)
            target = value_at(made.object, "spec", "scaleTargetRef", "name")
            if isinstance(most, int) and isinstance(target, str):
                yield (made.key.namespace, target), most


def _pods(made: Made, most: Mapping[Name, int]) -> int:
    """The most pods of a Deployment or of groups; 0 for anything else."""
    if made.key.kind not in ("Deployment", "LeaderWorkerSet"):
        return 0
    obj = made.object
    replicas, size = value_at(obj, "spec", "replicas"), value_at(obj, "spec", "leaderWorkerTemplate", "size")
    copies = most.get(_name(made), replicas if isinstance(replicas, int) else 1)
    return copies * (size if isinstance(size, int) else 1)


def _claims(made: Made) -> Iterator[Name]:
    for pod in pods(made.object):
        for volume in mappings(pod.spec.get("volumes")):
            claim = value_at(volume, "persistentVolumeClaim", "claimName")
            if isinstance(claim, str):
                yield made.key.namespace, claim
