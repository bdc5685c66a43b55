"""How many pods a workload has and which accelerators each of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..kubernetes.pod_templates import containers_of
from ..kubernetes.quantities import amount
from ..kubernetes.resources import is_accelerator


@dataclass(frozen=True)
class Pods:
    """``count`` pods that hold ``gpus`` accelerators together."""

    count: int
    gpus: int

    def __str__(self) -> str:
        pods = "1 pod" if self.count == 1 else f"{self.count} pods"
        return f"{pods} with {self.gpus} GPUs" if self.gpus else pods


NO_PODS = Pods(0, 0)


def pods_of(obj: Mapping[str, Any]) -> Pods:
    """The pods of a workload, as its spec asks for them; none for what is no workload."""
    spec = obj.get("spec")
    if not isinstance(spec, Mapping):
        return NO_PODS
    jobs = spec.get("replicatedJobs")
    if isinstance(jobs, list):
        return _together(_times(_whole(job.get("replicas", 1)), pods_of(job.get("template", {}))) for job in jobs)
    trainer = spec.get("trainer")
    if isinstance(trainer, Mapping):  # a TrainJob's, whose runtime makes the pods
        nodes = _whole(trainer.get("numNodes", 1))
        return Pods(nodes, nodes * sum(_accelerators({"resources": trainer.get("resourcesPerNode")})))
    copies = _whole(spec.get("replicas", spec.get("parallelism", 1)))
    groups = spec.get("leaderWorkerTemplate")
    if isinstance(groups, Mapping):
        worker = _gpus(groups.get("workerTemplate"))
        leader = _gpus(groups.get("leaderTemplate")) if groups.get("leaderTemplate") else worker
        size = _whole(groups.get("size", 1))
        return Pods(copies * size, copies * (leader + (size - 1) * worker))
    if not any(containers_of({"spec": spec})):
        return NO_PODS
    return Pods(copies, copies * _gpus(spec))


def _together(parts: Iterable[Pods]) -> Pods:
    counted = list(parts)
    return Pods(sum(part.count for part in counted), sum(part.gpus for part in counted))


def _times(copies: int, pods: Pods) -> Pods:
    return Pods(copies * pods.count, copies * pods.gpus)


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 1


def _gpus(value: Any) -> int:
    """What the containers of the pods in there limit together."""
    return sum(sum(_accelerators(container.body)) for container in containers_of({"spec": value}) if not container.ends)


def _accelerators(container: Mapping[str, Any]) -> Iterator[int]:
    for name, quantity in ((container.get("resources") or {}).get("limits") or {}).items():
        if is_accelerator(name):
            yield int(amount(str(quantity)))
