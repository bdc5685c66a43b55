"""Whether an objective's InferencePool is made by the stack or known to be in the cluster, and whether a route's pool
selects pods of the route's service."""

from collections.abc import Iterable, Iterator

from ..families import Plan
from ..findings import Problem
from ..kubernetes.existing import Passed
from ..kubernetes.objects import Object, TypedObjectReference
from ..kubernetes.pod_templates import Pod, pods
from ..kubernetes.references import at as values_at
from ..kubernetes.references import selector
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source, at
from ..kubernetes.values import mapping
from .places import place_of

_KIND = "InferencePool"


def unknown_pools(plan: Plan, objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each objective whose pool nobody makes, unless a service of its namespace has errors or is stopped:
    the pool may be that service's."""
    pools = {
        identity.reference for identity in [*(one.key for one in objects), *plan.existing] if identity.kind == _KIND
    }
    unfinished = {source.manifest.namespace for source, problem in plan.problems if problem.severity == "error"}
    unfinished |= {service.namespace for service in plan.services if not any(service.all_objects())}
    for record in plan.objects:
        # An objective that is passed through may have any shape: the API server checks it.
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


def pools_without_pods(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each service whose route leads to pools of the stack that select none of the service's pods."""
    records = list(objects)
    pools = {record.key.reference: record.body for record in records if record.key.kind == _KIND}
    pods_of = pods_by_source(records) if pools else {}
    for record in records if pools else ():
        made = pods_of.get(record.source, [])
        named = [*_named_pools(record)] if made and record.key.kind == "HTTPRoute" else []
        is_known = bool(named) and all(one in pools for one in named)
        if is_known and not any(selected_pods(pools[one], made) for one in named):
            message = (
                f"the InferencePool {named[0].namespace}/{named[0].name} selects none of the model service's pods, so "
                "no request reaches them; correct the pool's selector, or the labels of the pods"
            )
            yield record.source, Problem(place_of(record, named[0].name), message, "warning", "no-pods")


def _named_pools(route: RenderedObject) -> Iterator[TypedObjectReference]:
    for backend in values_at(route.body, "spec.rules.backendRefs"):
        if backend.get("kind") == _KIND:
            namespace = str(backend.get("namespace") or route.key.namespace)
            yield TypedObjectReference(str(backend.get("group")), _KIND, namespace, str(backend.get("name")))


def pods_by_source(records: Iterable[RenderedObject]) -> dict[Source, list[tuple[str, Pod]]]:
    """The pods that each manifest makes, with their namespaces."""
    made: dict[Source, list[tuple[str, Pod]]] = {}
    for record in records:
        for pod in pods(record.body):
            made.setdefault(record.source, []).append((record.key.namespace, pod))
    return made


def selected_pods(pool: Object, placed: Iterable[tuple[str, Pod]]) -> list[Pod]:
    """The pods that a pool selects, of those given."""
    wanted, namespace = selector(pool)[1].items(), pool["metadata"].get("namespace", "")
    labels = ((pod, mapping(pod.metadata.get("labels"))) for place, pod in placed if place == namespace)
    return [pod for pod, has in labels if wanted <= has.items()]
