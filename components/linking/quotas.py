"""ResourceQuotas among the manifests: what each container has to state, or the API server refuses its pod.

Containers that prepare, download or forward get small values if they state none. A pod requests no more because of
containers that end before its server runs. Only its manifest can state a server's needs.
Decisions: quotas (docs/decisions).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..engines.server import server_of
from ..findings import Problem
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_edits import with_pod_specs
from ..kubernetes.pod_templates import CONTAINERS, Container, containers, pods
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.resources import is_accelerator
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, mappings, value_at
from .places import place_of_field

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

_QUALITY = frozenset(["cpu", "memory"])
"""Resources of which a pod that states any in a container is not of the class BestEffort."""

Stated = tuple[str, str]
"""``requests`` or ``limits``, and the resource."""


class Quota(NamedTuple):
    """What the containers of the pods within its scopes have to state. ``scopes`` has a name, an operator and values
    each."""

    asked: frozenset[Stated]
    scopes: tuple[Mapping[str, Any], ...]

    def counts(self, pod: Mapping[str, Any]) -> bool:
        return all(_is_within(scope, pod) for scope in self.scopes)


Needed = Mapping[str, tuple[Quota, ...]]
"""The quotas of each namespace, without what a LimitRange sets by default."""


def needed(manifests: Iterable[Manifest]) -> Needed:
    """What quotas require and no LimitRange sets by default."""
    quotas: dict[str, list[Quota]] = {}
    stated: dict[str, set[Stated]] = {}
    for manifest in manifests:
        if isinstance(manifest, Existing) and manifest.kind == "ResourceQuota":
            quotas.setdefault(manifest.namespace, []).append(_quota(mapping(manifest.body("spec"))))
        elif isinstance(manifest, Existing) and manifest.kind == "LimitRange":
            stated.setdefault(manifest.namespace, set()).update(_by_default(manifest))
    return {
        namespace: tuple(quota._replace(asked=quota.asked - stated.get(namespace, set())) for quota in some)
        for namespace, some in quotas.items()
    }


def _quota(spec: Mapping[str, Any]) -> Quota:
    named = spec.get("scopes") if isinstance(spec.get("scopes"), list) else []
    scopes = [{"scopeName": name, "operator": "Exists"} for name in named or []]
    scopes += mappings(value_at(spec, "scopeSelector", "matchExpressions"))
    hard = mapping(spec.get("hard"))
    return Quota(frozenset(_COUNTED[name] for name in hard if name in _COUNTED), tuple(scopes))


def _is_within(scope: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Whether a scope holds for a pod, as in Kubernetes. Scopes that are not known here hold for none."""
    name, operator, values = scope.get("scopeName"), scope.get("operator"), scope.get("values")
    values = values if isinstance(values, list) else []
    if name == "PriorityClass":
        stated = pod.get("priorityClassName") or ""
        held = {"In": stated in values, "NotIn": stated not in values, "Exists": bool(stated)}
        return held.get(str(operator), not stated)
    ends, best = pod.get("activeDeadlineSeconds") is not None, _is_best_effort(pod)
    held = {"Terminating": ends, "NotTerminating": not ends, "BestEffort": best, "NotBestEffort": not best}
    return held.get(str(name), False)


def _is_best_effort(pod: Mapping[str, Any]) -> bool:
    resources = [mapping(item.get("resources")) for field in CONTAINERS for item in mappings(pod.get(field))]
    stated = {name for each in resources for part in ("requests", "limits") for name in mapping(each.get(part))}
    return _QUALITY.isdisjoint(stated)


def _asked(pod: Mapping[str, Any], quotas: Iterable[Quota]) -> frozenset[Stated]:
    return frozenset(each for quota in quotas if quota.counts(pod) for each in quota.asked)


def _by_default(limits: Existing) -> Iterator[Stated]:
    for item in mappings(value_at(limits.body("spec"), "limits")):
        for part, fields in _DEFAULTS.items():
            yield from ((part, name) for field in fields for name in mapping(item.get(field)))


def with_little(obj: Object, quotas: Needed) -> Object:
    """The object whose containers, except servers, state what quotas require."""
    of_namespace = quotas.get(obj["metadata"].get("namespace", ""))
    if not of_namespace:
        return obj

    def change(pod: Mapping[str, Any]) -> dict[str, Any]:
        asked = _asked(pod, of_namespace)
        lists = {field: [_stated(item, field, asked) for item in pod[field]] for field in CONTAINERS if field in pod}
        return {**pod, **lists}

    return with_pod_specs(obj, change)


def _stated(container: Mapping[str, Any], field: str, asked: Iterable[Stated]) -> dict[str, Any]:
    if _serves(container, field):
        return dict(container)
    resources = mapping(container.get("resources"))
    for part, name in sorted(_missing(resources, asked)):
        value = mapping(resources.get("requests")).get(name) if part == "limits" else None
        resources = {**resources, part: {**mapping(resources.get(part)), name: value or _LITTLE[part, name]}}
    return {**container, "resources": resources} if resources else dict(container)


def _missing(resources: Mapping[str, Any], asked: Iterable[Stated]) -> set[Stated]:
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


def _with_asked(obj: Object, quotas: Iterable[Quota]) -> Iterator[tuple[Container, frozenset[Stated]]]:
    for pod in pods(obj) if quotas else ():
        asked = _asked(pod.spec, quotas)
        yield from ((container, asked) for container in containers(pod))


def refused_by_quota(
    objects: Iterable[RenderedObject], manifests: Iterable[Manifest]
) -> Iterator[tuple[Source, Problem]]:
    """A warning for each server that does not state what a quota of its namespace counts."""
    quotas = needed(manifests)
    for record in objects if quotas else ():
        of_namespace = quotas.get(record.key.namespace, ())
        for container, asked in _with_asked(record.body, of_namespace):
            missing = sorted(_missing(container.field("resources"), asked))
            if missing:
                names = " and ".join(f"{part}.{name}" for part, name in missing)
                message = (
                    f"the container {container.name} has no {names}, which a ResourceQuota of namespace "
                    f"{record.key.namespace} counts, so the API server refuses the pods; state it in the "
                    "manifest's resources, or add a LimitRange with defaults"
                )
                path = place_of_field(record, ["resources"])
                yield record.source, Problem(path, message, "warning", "no-request")
