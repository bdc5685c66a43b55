"""Which objects of a stack must follow live pod templates that are kept, to reach the pods at all.

An object reaches pods when its selector matches their labels and its ports are theirs. An object that names a follower
(a route its Service) follows as well. Clients' addresses stay: a Service keeps its ports if they would change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_templates import containers, pods
from ..kubernetes.references import references
from ..kubernetes.secrets import secret_problems
from ..kubernetes.values import all_text, mapping, mappings, value_at, values_at
from ..planning.adopted import AdoptedWorkload, keep_pods, template_hash
from ..planning.kept import FOLLOWING, KeptObject, fields_hash, kept_object

_SELECTING = frozenset(["InferencePool", "PodDisruptionBudget", "PodMonitor", "Service"])
_NAMING = frozenset(["DestinationRule", "HTTPRoute", "Ingress", "ServiceMonitor", "VirtualService"])
_MOUNTED = frozenset(["ConfigMap", "Secret"])


class Pods(NamedTuple):
    """What other objects can name of a workload's pods: labels, and declared ports by number and name."""

    labels: Mapping[str, str]
    ports: frozenset[int | str]


class Kept(NamedTuple):
    """A workload that keeps its live template, with its ``rendered`` and its ``live`` pods."""

    identity: Key
    rendered: tuple[Pods, ...]
    live: tuple[Pods, ...]
    mounts: frozenset[tuple[str, str]]


def followers(
    entries: Iterable[AdoptedWorkload], rendered: Mapping[Key, Object], live: Mapping[Key, Mapping[str, Any]]
) -> list[KeptObject]:
    """The entries of all objects that follow workloads. ``live`` has the objects to take over, as they are now."""
    kept = [_kept(entry, rendered[entry.identity]) for entry in entries if entry.identity in rendered]
    in_use = [one for one in kept if one is not None]
    following: dict[Key, KeptObject] = {}
    for identity, there in live.items():
        obj = rendered.get(identity)
        workloads = [str(one.identity) for one in in_use if obj and _follows(obj, there, one)]
        if obj and workloads:
            following[identity] = kept_object(obj, there, workloads)
    for identity, there in live.items():
        obj = rendered.get(identity)
        if obj and identity.kind in _NAMING and identity not in following:
            workloads = [
                name for one in following.values() if _names(obj, rendered[one.identity]) for name in one.follows
            ]
            if workloads and fields_hash(obj) != fields_hash({**there, "kind": identity.kind}):
                following[identity] = kept_object(obj, there, set(workloads))
    return list(following.values())


def _kept(entry: AdoptedWorkload, obj: Object) -> Kept | None:
    if template_hash(obj) != entry.rendered:
        return None
    workload = keep_pods(obj, entry)
    mounts = frozenset((reference.kind, reference.name) for reference in references(workload))
    return Kept(entry.identity, tuple(_pods(obj)), tuple(_pods(workload)), mounts)


def _pods(workload: Object) -> Iterator[Pods]:
    for pod in pods(workload):
        ports = [port for one in containers(pod) for port in mappings(one.body.get("ports"))]
        names = {port[field] for port in ports for field in ("name", "containerPort") if port.get(field)}
        yield Pods(mapping(pod.metadata.get("labels")), frozenset(names))


def _follows(obj: Object, live: Mapping[str, Any], workload: Kept) -> bool:
    identity = key(obj)
    if identity.namespace != workload.identity.namespace:
        return False
    if identity.kind in _MOUNTED:
        return (identity.kind, identity.name) in workload.mounts and _is_kept(obj, live)
    if identity.kind not in _SELECTING or not any(_leads(obj, one) for one in workload.rendered):
        return False
    if not any(_leads(live, one) for one in workload.live):
        return False
    return not any(_leads(obj, one) for one in workload.live) or not _service_ports(live) <= _service_ports(obj)


def _is_kept(obj: Object, live: Mapping[str, Any]) -> bool:
    """Whether an object is a certificate (rendered without data) or a changing ConfigMap that contains no secret."""
    if obj["kind"] == "Secret":
        return not obj.get("data") and not obj.get("stringData") and bool(live.get("data"))
    differs = fields_hash(obj) != fields_hash({**live, "kind": "ConfigMap"})
    return differs and not any(secret_problems(live.get("data") or {}, "data"))


def _leads(obj: Mapping[str, Any], there: Pods) -> bool:
    selector = _selector(mapping(obj.get("spec")))
    if not selector or any(there.labels.get(name) != value for name, value in selector.items()):
        return False
    return not there.ports or all(port in there.ports for port in _targets(mapping(obj.get("spec"))))


def _selector(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    selector = mapping(spec.get("selector"))
    return mapping(selector["matchLabels"]) if "matchLabels" in selector else selector


def _targets(spec: Mapping[str, Any]) -> Iterator[Any]:
    for port in mappings(spec.get("ports")):
        yield port.get("targetPort") or port.get("port")
    yield from values_at(dict(spec), ["targetPorts", "number"])
    yield from values_at(dict(spec), ["targetPortNumber"])
    yield from values_at(dict(spec), ["podMetricsEndpoints", "port"])
    yield from values_at(dict(spec), ["podMetricsEndpoints", "portNumber"])


def _service_ports(obj: Mapping[str, Any]) -> set[Any]:
    return {port.get("port") for port in mappings(value_at(dict(obj), "spec", "ports"))}


def _names(obj: Object, followed: Object) -> bool:
    identity = key(followed)
    if identity.kind not in ("Service", "InferencePool") or identity.namespace != key(obj).namespace:
        return False
    if obj["kind"] == "ServiceMonitor":
        labels, selector = mapping(followed["metadata"].get("labels")), _selector(mapping(obj.get("spec")))
        return bool(selector) and all(labels.get(name) == value for name, value in selector.items())
    texts: Sequence[str] = all_text(obj.get("spec")).splitlines()
    return any(text == identity.name or text.startswith(f"{identity.name}.") for text in texts)


assert FOLLOWING.keys() == _SELECTING | _NAMING | _MOUNTED
