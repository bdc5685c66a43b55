"""The most accelerators that the objects of a stack can use: those of each pod, times the most pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import Pod, containers, pods
from modelservices.kubernetes.quantities import amount
from modelservices.kubernetes.resources import is_accelerator
from modelservices.kubernetes.values import mapping, mappings

from .rule import name_of

_KEDA_MAXIMUM = 100  # KEDA's default for a ScaledObject without a maximum
_MAX_SCALE = ("autoscaling.knative.dev/max-scale", "autoscaling.knative.dev/maxScale")


@dataclass(frozen=True)
class Use:
    """At most ``copies`` of a workload (None if unbounded), each with ``each`` accelerators."""

    name: str
    copies: int | None
    each: int


def uses(objects: Iterable[Object], further: Sequence[str] = ()) -> list[Use]:
    """The objects that use accelerators, the largest users first. ``further`` are resources that also count."""
    everything = list(objects)
    claims, maxima = dict(_claims(everything)), dict(_maxima(everything))
    all_uses = [_use(obj, claims, maxima, further) for obj in everything]
    return sorted((use for use in all_uses if use.each and use.copies != 0), key=_by_size)


def _by_size(use: Use) -> tuple[bool, int, str]:
    return use.copies is not None, -(use.copies or 0) * use.each, use.name


def _use(
    obj: Object,
    claims: Mapping[tuple[str, str], int],
    maxima: Mapping[tuple[str, str, str], int],
    further: Sequence[str],
) -> Use:
    namespace = _namespace(obj)

    def devices(value: Any) -> int:
        return sum(_devices(pod, namespace, claims, further) for pod in pods({"spec": value}))

    count = _knative if obj["apiVersion"].startswith("serving.knative.dev/") else COUNTED.get(obj["kind"], _once)
    copies, each = count(mapping(obj.get("spec")), devices)
    use = Use(name_of(obj), copies, each)
    maximum = maxima.get((obj["kind"], namespace, str(obj["metadata"].get("name"))), 0)
    return use if copies is None else replace(use, copies=max(copies, maximum))


def _devices(pod: Pod, namespace: str, claims: Mapping[tuple[str, str], int], further: Sequence[str]) -> int:
    """A pod's accelerators: those of its containers together, or of one init container if that has more, and
    claims'."""
    counts = [(container.ends, _gpus(container.field("resources"), further)) for container in containers(pod)]
    running = sum(count for ends, count in counts if not ends)
    starting = max((count for ends, count in counts if ends), default=0)
    templates = [claim.get("resourceClaimTemplateName") for claim in mappings(pod.spec.get("resourceClaims"))]
    claimed = sum(claims.get((namespace, str(template)), 0) for template in templates)
    return max(running, starting) + claimed


def _gpus(resources: Mapping[str, Any], further: Sequence[str]) -> int:
    amounts = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
    return sum(_whole(value) for name, value in amounts.items() if is_counted(name, further))


def is_counted(resource: str, further: Sequence[str]) -> bool:
    """Whether a resource is an accelerator, by its name or because the platform says so."""
    return is_accelerator(resource) or any(fnmatchcase(resource, pattern) for pattern in further)


def _whole(value: Any) -> int:
    """A quantity as a whole number; 0 if it is not known yet or no number."""
    try:
        return int(amount(str(value))) if isinstance(value, str | int) else 0
    except ValueError:
        return 0


# Takes a workload's spec, and a function for the accelerators of pods in any part of it. Returns copies, and the
# accelerators of each.
_Devices = Callable[[Any], int]
_Count = Callable[[Mapping[str, Any], _Devices], tuple[int | None, int]]


def _once(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    return 1, devices(spec)


def _replicas(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    return _number(spec.get("replicas")), devices(spec.get("template"))


def _groups(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    """A LeaderWorkerSet's replicas are groups of a leader and size - 1 workers."""
    group = mapping(spec.get("leaderWorkerTemplate"))
    worker = devices(group.get("workerTemplate"))
    leader = devices(group["leaderTemplate"]) if group.get("leaderTemplate") else worker
    return _number(spec.get("replicas")), leader + (_number(group.get("size")) - 1) * worker


def _job(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    parallel = _number(spec.get("parallelism"))
    return min(parallel, _number(spec.get("completions"), parallel)), devices(spec.get("template"))


def _cron_job(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    return _job(mapping(mapping(spec.get("jobTemplate")).get("spec")), devices)


def _job_set(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    total = 0
    for part in mappings(spec.get("replicatedJobs")):
        copies, each = _job(mapping(mapping(part.get("template")).get("spec")), devices)
        total += _number(part.get("replicas")) * (copies or 0) * each
    return 1, total


def _train_job(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    trainer = mapping(spec.get("trainer"))
    node = {"containers": [{"name": "node", "resources": trainer.get("resourcesPerNode")}]}
    return _number(trainer.get("numNodes")), devices({"spec": node})


def _ray_cluster(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    total = devices(spec.get("headGroupSpec"))
    for group in mappings(spec.get("workerGroupSpecs")):
        most = max(_number(group.get("replicas")), _number(group.get("maxReplicas"), 0))
        total += most * _number(group.get("numOfHosts")) * devices(group.get("template"))
    return 1, total


def _knative(spec: Mapping[str, Any], devices: _Devices) -> tuple[int | None, int]:
    """Knative treats 0 and a missing annotation as unbounded."""
    template = mapping(spec.get("template"))
    annotations = mapping(mapping(template.get("metadata")).get("annotations"))
    maximum = next((str(annotations[key]) for key in _MAX_SCALE if key in annotations), "")
    return int(maximum) or None if maximum.isdecimal() else None, devices(template)


COUNTED: Mapping[str, _Count] = {
    "CronJob": _cron_job,
    "Deployment": _replicas,
    "Job": _job,
    "JobSet": _job_set,
    "LeaderWorkerSet": _groups,
    "RayCluster": _ray_cluster,
    "ReplicaSet": _replicas,
    "StatefulSet": _replicas,
    "TrainJob": _train_job,
}
"""Kind to how its pods are counted. Pod templates of other kinds count once."""


def _maxima(objects: Iterable[Object]) -> Iterator[tuple[tuple[str, str, str], int]]:
    """The maximum of each autoscaler, by kind, namespace and name of its target."""
    for obj in objects:
        spec = mapping(obj.get("spec"))
        target = mapping(spec.get("scaleTargetRef"))
        scaled = (str(target.get("kind", "Deployment")), _namespace(obj), str(target.get("name")))
        if obj["kind"] == "HorizontalPodAutoscaler":
            yield scaled, _number(spec.get("maxReplicas"))
        elif obj["kind"] == "ScaledObject":
            yield scaled, _number(spec.get("maxReplicaCount"), _KEDA_MAXIMUM)


def _claims(objects: Iterable[Object]) -> Iterator[tuple[tuple[str, str], int]]:
    """The accelerators of each claim template (dynamic resource allocation), by namespace and name."""
    for obj in objects:
        if obj["kind"] == "ResourceClaimTemplate":
            devices = mapping(mapping(mapping(obj.get("spec")).get("spec")).get("devices"))
            requests = [mapping(r.get("exactly")) or r for r in mappings(devices.get("requests"))]
            counts = [_number(r.get("count")) for r in requests if _is_accelerator_class(r.get("deviceClassName"))]
            yield (_namespace(obj), str(obj["metadata"].get("name"))), sum(counts)


def _is_accelerator_class(name: Any) -> bool:
    """Whether a device class (``gpu.nvidia.com``) is an accelerator: its name is a resource's, the other way round."""
    return isinstance(name, str) and is_accelerator(f"class.example/{name.partition('.')[0]}")


def _namespace(obj: Object) -> str:
    return str(obj["metadata"].get("namespace", ""))


def _number(value: Any, default: int = 1) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
