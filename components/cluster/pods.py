"""How many pods a workload has and how many accelerators they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..kubernetes.pod_templates import containers_of
from ..kubernetes.quantities import amount
from ..kubernetes.resources import is_accelerator
from ..kubernetes.values import mapping, value_at


@dataclass(frozen=True)
class Pods:
    """``count`` pods that hold ``gpus`` accelerators together."""

    count: int
    gpus: int

    def __str__(self) -> str:
        pods = "1 pod" if self.count == 1 else f"{self.count} pods"
        gpus = "1 GPU" if self.gpus == 1 else f"{self.gpus} GPUs"
        return f"{pods} with {gpus}" if self.gpus else pods

    def times(self, copies: int) -> Pods:
        return Pods(copies * self.count, copies * self.gpus)


NO_PODS = Pods(0, 0)


def pods_of(obj: Mapping[str, Any]) -> Pods:
    """The pods that a workload's spec asks for; none for other objects."""
    spec = obj.get("spec")
    if not isinstance(spec, Mapping):
        return NO_PODS
    jobs = spec.get("replicatedJobs")
    if isinstance(jobs, list):
        parts = [pods_of(job.get("template", {})).times(_whole(job.get("replicas", 1))) for job in jobs]
        return Pods(sum(part.count for part in parts), sum(part.gpus for part in parts))
    trainer = spec.get("trainer")
    if isinstance(trainer, Mapping):  # a TrainJob's: its runtime makes the pods
        nodes = _whole(trainer.get("numNodes", 1))
        return Pods(nodes, nodes * _limited({"resources": trainer.get("resourcesPerNode")}))
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


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 1


def _gpus(value: Any) -> int:
    """The sum of the accelerator limits of a template's containers, without those that end."""
    return sum(_limited(container.body) for container in containers_of({"spec": value}) if not container.ends)


def _limited(container: Mapping[str, Any]) -> int:
    return accelerators_among(mapping(value_at(container, "resources", "limits")))


def accelerators_among(resources: Mapping[str, Any]) -> int:
    """The number of accelerators among resources, by their names and quantities."""
    return sum(int(amount(str(quantity))) for name, quantity in resources.items() if is_accelerator(name))
