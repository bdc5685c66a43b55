"""Whether the InferencePool that an objective refers to is made by the stack or known to be in the cluster."""

from collections.abc import Iterable, Iterator

from ..families import Plan
from ..findings import Problem
from ..kubernetes.existing import Passed
from ..kubernetes.objects import Object, TypedObjectReference
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source, at

_KIND = "InferencePool"


def unknown_pools(plan: Plan, objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each objective whose pool nobody makes. Where a service of its namespace has errors or is stopped,
    nothing is said: the pool may be that service's."""
    pools = {
        identity.reference for identity in [*(one.key for one in objects), *plan.existing] if identity.kind == _KIND
    }
    unfinished = {source.manifest.namespace for source, problem in plan.problems if problem.severity == "error"}
    unfinished |= {service.namespace for service in plan.services if not any(service.all_objects())}
    for record in plan.objects:
        # One that is passed through may be of any shape: the API server judges it.
        if record.kind == "InferenceObjective" and not isinstance(record.source.manifest, Passed):
            yield from at(record.source, _unknown_pool(record.body, pools, unfinished))


def _unknown_pool(objective: Object, pools: set[TypedObjectReference], unfinished: set[str]) -> Iterator[Problem]:
    reference = objective.get("spec", {}).get("poolRef")
    if reference is None:
        return
    namespace = objective["metadata"].get("namespace", "")
    wanted = TypedObjectReference(reference["group"], _KIND, namespace, reference["name"])
    namesakes = sorted(pool for pool in pools if pool[1:] == wanted[1:])
    if namesakes and wanted not in namesakes:
        message = f"the InferencePool {wanted.name} belongs to the group {namesakes[0].group}; write that group"
        yield Problem("spec.poolRef.group", message, "warning", "unknown-pool")
    elif not namesakes and wanted.namespace not in unfinished:
        where = f"{wanted.namespace}/{wanted.name}"
        setting = "settings.inferenceExtension.knownPools"
        message = (
            f"no manifest makes the InferencePool {where}; correct the name, add the pool, or list it under {setting}"
        )
        yield Problem("spec.poolRef.name", message, "warning", "unknown-pool", missing=wanted.name)
