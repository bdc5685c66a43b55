"""What can't be said about a workload: parallelism, scaling, rollout, accelerators."""

import re
from collections.abc import Iterator
from typing import Any

from ....engines.gpus import too_few_gpus
from ....engines.known import argument_problems, engine_of, variable_problems
from ....engines.vllm import serving
from ....findings import Problem
from ....kubernetes.model import dump
from ....kubernetes.pod import Container, PodSpec
from ....kubernetes.resources import accelerators
from ....kubernetes.scalars import describe
from ..context import Service, Workload
from ..pods import MAIN
from ..scaling_spec import ScalingSpec
from ..serve import VARIABLES, is_start

_PERCENT = re.compile(r"[0-9]{1,6}%")


def workload_problems(each: Workload, service: Service) -> Iterator[Problem]:
    yield from _parallelism_problems(each)
    yield from _scaling_problems(each, service)
    yield from _rollout_problems(each)
    yield from _gpu_problems(each)
    yield from server_argument_problems(each)


def _parallelism_problems(each: Workload) -> Iterator[Problem]:
    p, path = each.parallelism, f"{each.path}.parallelism"
    if p.pipeline and p.data_parallel:
        yield Problem(path, "has both pipeline and data parallelism, but a group of pods can have only one of them")
    if p.data_parallel and (p.data is None or p.dataLocal is None):
        missing, stated = ("dataLocal", "data") if p.dataLocal is None else ("data", "dataLocal")
        yield Problem(f"{path}.{missing}", f"is required beside {stated}", code="required")
    elif p.data_parallel and p.data and p.dataLocal and p.data % p.dataLocal:
        message = (
            f"data {p.data} is not a multiple of dataLocal {p.dataLocal}, but each pod of a group has dataLocal copies"
        )
        yield Problem(f"{path}.data", message)
    if each.multi_node and not (p.pipeline or p.data_parallel):
        message = "needs data and dataLocal, or pipeline, under parallelism to set the number of pods in a group"
        yield Problem(f"{each.path}.worker", message)
    if not each.multi_node and p.data_parallel:
        message = "has no effect without a worker, because the copies of a single pod are its replicas"
        yield Problem(f"{path}.data", message, "warning", "no-effect")


def _scaling_problems(each: Workload, service: Service) -> Iterator[Problem]:
    scaling, path = each.spec.scaling, f"{each.path}.scaling"
    if scaling is None:
        return
    if each.spec.replicas is not None:
        message = "excludes scaling, which also sets the number; remove one of the two"
        yield Problem(f"{each.path}.replicas", message)
    if scaling.maxReplicas is None:
        yield Problem(f"{path}.maxReplicas", "is required", code="required")
    elif (scaling.minReplicas or 1) > scaling.maxReplicas:
        message = f"is {scaling.minReplicas}, more than maxReplicas, {scaling.maxReplicas}"
        yield Problem(f"{path}.minReplicas", message)
    yield from _actuator_problems(scaling, path, service)


def _actuator_problems(scaling: ScalingSpec, path: str, service: Service) -> Iterator[Problem]:
    ways = [name for name, way in (("wva", scaling.wva), ("keda", scaling.keda)) if way]
    if len(ways) != 1:
        yield Problem(path, f"must have one of wva and keda, got {' and '.join(ways) or 'none'}")
    wva = scaling.wva
    if wva and bool(wva.hpa) == bool(wva.keda):
        yield Problem(f"{path}.wva", f"must have one of hpa and keda, got {'both' if wva.hpa else 'none'}")
    if wva and wva.keda and not service.settings.wva.prometheus.url:
        message = (
            "needs settings.kserve.autoscaling-wva-controller-config.prometheus.url, because KEDA reads Prometheus"
        )
        yield Problem(f"{path}.wva.keda", message)
    keda = wva.keda if wva else scaling.keda
    if keda and keda.idleReplicaCount is not None and keda.idleReplicaCount >= (scaling.minReplicas or 1):
        where = f"{path}.wva.keda" if wva else f"{path}.keda"
        yield Problem(f"{where}.idleReplicaCount", "must be less than minReplicas")


def _rollout_problems(each: Workload) -> Iterator[Problem]:
    """What Deployments and the LeaderWorkerSet's admission refuse."""
    rollout, path = each.spec.rolloutStrategy, f"{each.path}.rolloutStrategy"
    if rollout is None:
        return
    unavailable = 1 if each.multi_node and rollout.maxUnavailable is None else rollout.maxUnavailable
    surge = 0 if each.multi_node and rollout.maxSurge is None else rollout.maxSurge
    wrong = {
        "maxUnavailable": _share_problem(rollout.maxUnavailable, whole=True),
        "maxSurge": _share_problem(rollout.maxSurge, whole=each.multi_node),
    }
    yield from (Problem(f"{path}.{field}", message) for field, message in wrong.items() if message)
    if any(wrong.values()):
        return
    groups = 1 if each.spec.replicas is None else each.spec.replicas
    if _of(unavailable, 100) == _of(surge, 100) == 0:
        message = "maxUnavailable and maxSurge are both zero, so no pod can ever be replaced; raise one of them"
        yield Problem(path, message)
    elif each.multi_node and groups and _of(unavailable, groups) == _of(surge, 100) == 0:
        message = (
            f"maxUnavailable {unavailable} of {groups} groups rounds down to 0 and maxSurge adds no group, so no "
            "group can ever be replaced; raise one of them"
        )
        yield Problem(path, message)


def _share_problem(value: Any, *, whole: bool) -> str:
    """What is wrong with a number or percentage; ``whole`` takes 100% at most."""
    if value is None or (isinstance(value, int) and value >= 0):
        return ""
    if not isinstance(value, str) or not _PERCENT.fullmatch(value):
        return f"must be a whole number or a percentage such as 25%, got {describe(value)}"
    return f"must be at most 100%, got {value}" if whole and int(value[:-1]) > 100 else ""


def _of(value: Any, total: int) -> int | None:
    """A share of a total as a number, rounded down."""
    return int(value[:-1]) * total // 100 if isinstance(value, str) else value


def _gpu_problems(each: Workload) -> Iterator[Problem]:
    """A server can't use more GPUs than its container gets."""
    p = each.parallelism
    per_server = (p.tensor or 1) * (1 if each.multi_node else p.pipeline or 1)
    wanted = per_server * (p.dataLocal or 1 if each.multi_node else 1)
    for path, pod in each.pods:
        main = next((item for item in pod.containers if item.name == MAIN), None)
        devices = accelerators(dump(main.resources)) if main and main.resources else None
        if devices is not None and devices < wanted:
            message = f"needs {wanted} accelerators in a pod, but the main container of {path} has {devices}"
            yield Problem(f"{each.path}.parallelism", message, "warning", "too-few-accelerators")
        if main and main.resources and not each.multi_node:
            yield from _argument_gpu_problems(each, main, f"{path}.containers[main].args")


def _argument_gpu_problems(each: Workload, main: Container, path: str) -> Iterator[Problem]:
    """The user's arguments, beside what the parallelism gives a preset's command line."""
    stated = [*(main.args or []), *(main.command or [])]
    engine = engine_of(main.image, stated)
    p = each.parallelism
    sizes = {"tensor": p.tensor, "pipeline": p.pipeline} if is_start(main.command) else {}
    generated = [
        word for words in serving.sizes({name: size for name, size in sizes.items() if size}) for word in words
    ]
    flags = {engine.tensor_parallel, *engine.parallel, *engine.copies}
    line = engine.dialect.flags([*generated, *stated])
    message = too_few_gpus(engine, line, dump(main.resources)) if main.resources else ""
    if message and not flags.isdisjoint(engine.dialect.names(stated)):
        yield Problem(path, message, "warning", "too-few-accelerators")


def server_argument_problems(each: Workload) -> Iterator[Problem]:
    """Arguments of the server that its release of the engine does not take."""
    for path, pod in each.pods:
        for index, item in enumerate(pod.containers):
            if item.name == MAIN:
                starts = is_start(item.command)
                command = ["vllm"] if starts else item.command or []
                where = f"{path}.containers[{index}]"
                yield from argument_problems(item.args or [], command, item.image, where, as_text=starts)
                read = VARIABLES if starts else ()
                yield from variable_problems({**dump(item), "command": command}, where, read_by_script=read)


def main_problems(pod: PodSpec, path: str) -> Iterator[Problem]:
    if not any(item.name == MAIN for item in pod.containers):
        yield Problem(f"{path}.containers", "needs a container named main, which runs the server", code="required")
