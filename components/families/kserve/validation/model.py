"""Checks of a model, its adapters and its KV cache."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines.command_reader import literals
from ....engines.gpus import too_few_gpus
from ....engines.known import argument_problems, engine_of, variable_problems
from ....engines.vllm import serving
from ....findings import Problem
from ....kubernetes.images import is_reference
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.model import dump
from ....kubernetes.pod import Container, PodSpec
from ....kubernetes.quantities import amount
from ....kubernetes.resources import accelerators
from ....kubernetes.scalars import Opaque, describe
from ....kubernetes.values import repeated
from .. import lora, storage
from ..context import Service, Workload
from ..model_spec import LoRASpec, SecondaryTier
from ..pods import MAIN
from ..scaling_spec import ScalingSpec
from ..serve import VARIABLES, is_start


def model_problems(service: Service) -> Iterator[Problem]:
    uri = service.spec.model.uri
    if uri is None:
        message = "is required; write the model's address, for example hf://org/model"
        yield Problem("spec.model.uri", message, code="required")
        return
    yield from _uri_problems(uri, "spec.model.uri", storage.SCHEMES, service)
    if storage.scheme(uri) == "oci" and not service.settings.storageInitializer.enableModelcar:
        message = "is an oci:// model, which settings.kserve.storageInitializer.enableModelcar turns off"
        yield Problem("spec.model.uri", message)
    yield from _adapter_problems(service)
    confidential = service.spec.model.confidential
    if confidential and confidential.enabled and not storage.downloads(service):
        why = "only a model that the storage initializer downloads (hf://, s3://) is decrypted"
        yield Problem("spec.model.confidential", f"has no effect, because {why}", "warning", "no-effect")


def _uri_problems(uri: str, path: str, schemes: tuple[str, ...], service: Service) -> Iterator[Problem]:
    known = ", ".join(f"{scheme}://" for scheme in schemes)
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme not in schemes or not rest:
        yield Problem(path, f"must start with one of {known}, got {describe(uri)}")
    elif any(char.isspace() or not char.isprintable() for char in uri):
        yield Problem(path, f"must not contain blanks, got {describe(uri)}")
    elif scheme == "hf" and not storage.HUB_URI.fullmatch(uri):
        message = (
            f"is {describe(uri)}, which the storage initializer does not download; write hf://owner/model, or "
            "hf://owner/model:revision without a slash in the revision"
        )
        yield Problem(path, message, "warning", "bad-source")
    elif scheme == "pvc" and not is_subdomain(lora.claim_and_path(uri)[0]):
        yield Problem(path, f"must name a claim as pvc://claim/path, got {describe(uri)}")
    elif scheme == "oci" and not is_reference(rest):
        yield Problem(path, f"must name an image as oci://registry/repository:tag, got {describe(uri)}")


_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9._:/-]*", re.ASCII)


def _adapter_problems(service: Service) -> Iterator[Problem]:
    spec = service.spec.model.lora
    stated = spec.adapters if spec else []
    for index, name, _ in repeated(adapter.name for adapter in stated):
        path = f"spec.model.lora.adapters[{index}].name"
        yield Problem(path, f"is a duplicate: {describe(name)}", code="duplicate")
    if spec and stated:
        yield from _limit_problems(spec)
    for index, adapter in enumerate(stated):
        path = f"spec.model.lora.adapters[{index}]"
        yield from _uri_problems(adapter.uri, f"{path}.uri", lora.SCHEMES, service)
        if not storage.enabled(service):
            message = "is loaded by the storage initializer, but storageInitializer.enabled is false"
            yield Problem(f"{path}.uri", f"{message}; enable it, or remove the adapter")
        if not _NAME.fullmatch(adapter.name):
            allowed = "letters, digits and '.', '_', '-', ':', '/'"
            message = f"must have only {allowed}, because commands and paths contain it, got {describe(adapter.name)}"
            yield Problem(f"{path}.name", message, code="bad-name")
        if adapter.name == service.model_name:
            yield Problem(f"{path}.name", "must differ from the model's own name")
        if adapter.name in (".", ".."):
            yield Problem(f"{path}.name", f"must not be {adapter.name}")


def _limit_problems(spec: LoRASpec) -> Iterator[Problem]:
    """Limits with which vLLM exits at start."""
    path, most = "spec.model.lora", serving.LORA_RANKS[-1]
    if spec.maxRank is not None and spec.maxRank > most:
        message = f"is {spec.maxRank}, but vLLM takes adapters up to rank {most} and exits with more; write {most}"
        yield Problem(f"{path}.maxRank", message, "warning", "unknown-value")
    if spec.maxAdapters and spec.maxCpuAdapters and spec.maxCpuAdapters < spec.maxAdapters:
        message = (
            f"is {spec.maxCpuAdapters}, less than maxAdapters, {spec.maxAdapters}, with which vLLM exits at start; "
            "raise it"
        )
        yield Problem(f"{path}.maxCpuAdapters", message, code="bad-value")


def kv_problems(each: Workload) -> Iterator[Problem]:
    kv, path = each.spec.kvCacheOffloading, f"{each.path}.kvCacheOffloading"
    if kv is None:
        return
    if kv.cpu is None or (not isinstance(kv.cpu, Opaque) and amount(kv.cpu) <= 0):
        message = "is required and must be more than 0; it is the size of the CPU tier, for example 10Gi"
        yield Problem(f"{path}.cpu", message)
    for index, tier in enumerate(kv.secondary):
        yield from _tier_problems(tier, f"{path}.secondary[{index}].fileSystem")


def _tier_problems(tier: SecondaryTier, path: str) -> Iterator[Problem]:
    disk = tier.fileSystem
    if disk is None or bool(disk.emptyDir) == bool(disk.pvc):
        yield Problem(path, "must have one of emptyDir and pvc")
    elif disk.pvc and (disk.pvc.spec is None) == (disk.pvc.ref is None):
        yield Problem(f"{path}.pvc", "must have one of spec and ref")


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
        message = f"data {p.data} is not a multiple of dataLocal {p.dataLocal}"
        yield Problem(f"{path}.data", f"{message}, but each pod of a group has dataLocal copies")
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
        setting = "settings.kserve.autoscaling-wva-controller-config.prometheus.url"
        yield Problem(f"{path}.wva.keda", f"needs {setting}, because KEDA reads Prometheus")
    keda = wva.keda if wva else scaling.keda
    if keda and keda.idleReplicaCount is not None and keda.idleReplicaCount >= (scaling.minReplicas or 1):
        where = f"{path}.wva.keda" if wva else f"{path}.keda"
        yield Problem(f"{where}.idleReplicaCount", "must be less than minReplicas")


def _rollout_problems(each: Workload) -> Iterator[Problem]:
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
    """The problem of a number or percentage, or ""; ``whole`` allows at most 100%."""
    if value is None or (isinstance(value, int) and value >= 0):
        return ""
    if not isinstance(value, str) or not _PERCENT.fullmatch(value):
        return f"must be a whole number or a percentage such as 25%, got {describe(value)}"
    return f"must be at most 100%, got {value}" if whole and int(value[:-1]) > 100 else ""


def _of(value: Any, total: int) -> int | None:
    """A share of a total as a number, rounded down."""
    return int(value[:-1]) * total // 100 if isinstance(value, str) else value


def _gpu_problems(each: Workload) -> Iterator[Problem]:
    p = each.parallelism
    per_server = (p.tensor or 1) * (1 if each.multi_node else p.pipeline or 1)
    wanted = per_server * (p.dataLocal or 1 if each.multi_node else 1)
    for path, pod in each.pods:
        main = next((item for item in pod.containers if item.name == MAIN), None)
        devices = accelerators(dump(main.resources)) if main and main.resources else None
        if devices is not None and devices < wanted and (devices or wanted > 1):
            message = f"needs {wanted} accelerators in a pod, but the main container of {path} has {devices}"
            yield Problem(f"{each.path}.parallelism", message, "warning", "too-few-accelerators")
        if main and main.resources and not each.multi_node:
            yield from _argument_gpu_problems(each, main, f"{path}.containers[main].args")


def _argument_gpu_problems(each: Workload, main: Container, path: str) -> Iterator[Problem]:
    """The user's arguments, with the flags that the parallelism adds to a preset's command line."""
    stated = [*(main.args or []), *(main.command or [])]
    engine = engine_of(main.image, stated)
    p = each.parallelism
    sizes = {"tensor": p.tensor, "pipeline": p.pipeline} if is_start(main.command) else {}
    wanted = {name: size for name, size in sizes.items() if size}
    generated = [word for words in serving.sizes(wanted) for word in words]
    flags = {engine.tensor_parallel, *engine.parallel, *engine.copies}
    line = engine.dialect.flags([*generated, *stated])
    message = too_few_gpus(engine, line, dump(main.resources)) if main.resources else ""
    if message and not flags.isdisjoint(engine.dialect.names(stated)):
        yield Problem(path, message, "warning", "too-few-accelerators")


def server_argument_problems(each: Workload) -> Iterator[Problem]:
    for path, pod in each.pods:
        for index, item in enumerate(pod.containers):
            if item.name == MAIN:
                starts = is_start(item.command)
                command = ["vllm"] if starts else item.command or []
                where = f"{path}.containers[{index}]"
                container = dump(item)
                line = item.args or [], command, item.image, where, container.get("env")
                for problem in argument_problems(*line, as_text=starts):
                    if not problem.message.startswith("gives --port "):  # reported as the pod's port
                        yield problem
                yield from _variable_argument_problems(container, where) if starts else ()
                read = VARIABLES if starts else ()
                yield from variable_problems({**container, "command": command}, where, read_by_script=read)


def _variable_argument_problems(container: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Problems of the arguments that the start script reads from a variable."""
    text = literals(container.get("env")).get(serving.MORE_WORDS)
    for problem in argument_problems([text] if text else [], ["vllm"], container.get("image"), "", as_text=True):
        if problem.path.startswith(".args"):
            yield replace(problem, path=f"{path}.env[{serving.MORE_WORDS}].value")


def main_problems(pod: PodSpec, path: str) -> Iterator[Problem]:
    if not any(item.name == MAIN for item in pod.containers):
        yield Problem(f"{path}.containers", "needs a container named main, which runs the server", code="required")
