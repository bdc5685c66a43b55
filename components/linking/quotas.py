"""ResourceQuotas among the manifests: what each container has to state, or the API server refuses its pod.

Containers that prepare, download or forward get small values if they state none. A pod requests no more because of
containers that end before its server runs. Only its manifest can state a server's needs.
Decisions: quotas (docs/decisions).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..engines.server import server_of
from ..findings import Problem
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_edits import with_pod_specs
from ..kubernetes.pod_templates import CONTAINERS, containers_of
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.resources import is_accelerator
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, mappings, value_at

_COUNTED = {
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}
"""Resource of a quota to where a container has to state it. Other resources may be left out."""
_DEFAULTS = {"requests": ("defaultRequest", "default"), "limits": ("default",)}
"""Fields of a LimitRange with which the API server sets defaults."""
_LITTLE = {
    ("requests", "cpu"): "100m",
    ("requests", "memory"): "128Mi",
    ("limits", "cpu"): "1",
    ("limits", "memory"): "1Gi",
}

Needed = Mapping[str, frozenset[tuple[str, str]]]
"""What containers have to state, by namespace: ``requests`` or ``limits``, and the resource."""


def needed(manifests: Iterable[Manifest]) -> Needed:
    """What quotas require and no LimitRange sets by default."""
    asked: dict[str, set[tuple[str, str]]] = {}
    stated: dict[str, set[tuple[str, str]]] = {}
    for manifest in manifests:
        if isinstance(manifest, Existing) and manifest.kind == "ResourceQuota":
            hard = mapping(value_at(manifest.body("spec"), "hard"))
            asked.setdefault(manifest.namespace, set()).update(_COUNTED[name] for name in hard if name in _COUNTED)
        elif isinstance(manifest, Existing) and manifest.kind == "LimitRange":
            stated.setdefault(manifest.namespace, set()).update(_by_default(manifest))
    return {namespace: frozenset(some - stated.get(namespace, set())) for namespace, some in asked.items()}


def _by_default(limits: Existing) -> Iterator[tuple[str, str]]:
    for item in mappings(value_at(limits.body("spec"), "limits")):
        for part, fields in _DEFAULTS.items():
            yield from ((part, name) for field in fields for name in mapping(item.get(field)))


def with_little(obj: Object, quotas: Needed) -> Object:
    """The object whose containers, except servers, state what quotas require."""
    asked = quotas.get(obj["metadata"].get("namespace", ""))
    if not asked:
        return obj

    def change(pod: Mapping[str, Any]) -> dict[str, Any]:
        lists = {field: [_stated(item, field, asked) for item in pod[field]] for field in CONTAINERS if field in pod}
        return {**pod, **lists}

    return with_pod_specs(obj, change)


def _stated(container: Mapping[str, Any], field: str, asked: Iterable[tuple[str, str]]) -> dict[str, Any]:
    if _serves(container, field):
        return dict(container)
    resources = mapping(container.get("resources"))
    for part, name in sorted(_missing(resources, asked)):
        value = mapping(resources.get("requests")).get(name) if part == "limits" else None
        resources = {**resources, part: {**mapping(resources.get(part)), name: value or _LITTLE[part, name]}}
    return {**container, "resources": resources} if resources else dict(container)


def _missing(resources: Mapping[str, Any], asked: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """What is not stated. A limit is also a request."""
    return {
        (part, name)
        for part, name in asked
        if name not in mapping(resources.get("limits"))
        and not (part == "requests" and name in mapping(resources.get("requests")))
    }


def _serves(container: Mapping[str, Any], field: str) -> bool:
    """Whether a container is a server, whose needs only its manifest can state."""
    resources = mapping(container.get("resources"))
    devices = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
    return field == "containers" and (any(map(is_accelerator, devices)) or server_of(container) is not None)


def refused_by_quota(
    objects: Iterable[RenderedObject], manifests: Iterable[Manifest]
) -> Iterator[tuple[Source, Problem]]:
    """A warning for each server that does not state what a quota of its namespace counts."""
    quotas = needed(manifests)
    for record in objects if quotas else ():
        for container in containers_of(record.body):
            missing = sorted(_missing(container.field("resources"), quotas.get(record.key.namespace, ())))
            if missing:
                names = " and ".join(f"{part}.{name}" for part, name in missing)
                message = (
                    f"the container {container.name} has no {names}, which a ResourceQuota of namespace "
                    f"{record.key.namespace} counts, so the API server refuses the pods; state it"
                )
                yield record.source, Problem(record.field, message, "warning", "no-request")
