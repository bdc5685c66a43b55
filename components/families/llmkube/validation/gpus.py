"""Checks of the GPUs of an InferenceService with its Model."""

from collections.abc import Iterator

from ....engines.gpus import too_few_gpus
from ....engines.llama_cpp import tensor_split
from ....engines.preconditions import shared_gpu_problems
from ....findings import Problem
from ..context import Context

_SHARING = "spec.resources.gpuSharing"
_SHARE = {"vllm": "spec.vllmConfig.gpuMemoryUtilization", "sglang": "spec.sglangConfig.memFractionStatic"}
"""Field for the share of GPU memory, by runtime."""


def gpu_problems(service: Context) -> Iterator[Problem]:
    spec, gpu = service.spec, service.gpu
    yield from _sharing_problems(service)
    if service.gpu_sharing.mode == "shared":
        path = _SHARE.get(spec.runtime, service.arguments_field)
        yield from shared_gpu_problems(service.server.engine, service.server.flags, path)
    if gpu.resourceClaims and service.gpus:
        message = (
            f"requests GPUs although Model {spec.modelRef} has resourceClaims, so the pods get both; remove one of them"
        )
        yield Problem("spec.resources.gpu", message, "warning", "gpus-twice")
    yield from _parallel_problems(service)
    if service.engine.needs_gpu and not service.has_gpus and not spec.image and not service.served_outside:
        message = (
            f"is 0, but runtime {spec.runtime} serves only on GPUs; set it, or hardware.gpu.count of Model "
            f"{spec.modelRef}, or set spec.image to an image for CPUs"
        )
        yield Problem("spec.resources.gpu", message, "warning", "no-gpus")
    elif gpu.enabled and not service.has_gpus and not service.served_outside:
        message = (
            f"is not set, and Model {spec.modelRef} has gpu.enabled without a count, so the pods get no GPU; set the "
            "count"
        )
        yield Problem("spec.resources.gpu", message, "warning", "no-gpus")
    if gpu.count and spec.resources.gpu and gpu.count != spec.resources.gpu:
        message = (
            f"is {spec.resources.gpu}, but Model {spec.modelRef} has {gpu.count}, which takes precedence; make them "
            "equal"
        )
        yield Problem("spec.resources.gpu", message, "warning", "gpu-counts-differ")
    split = gpu.sharding.layerSplit if gpu.sharding else []
    if split and service.gpus and tensor_split(split, service.gpus) is None:
        message = (
            f"Model {spec.modelRef} needs a layerSplit with one start-end for each of {service.gpus} GPUs; without it "
            "the layers are split evenly"
        )
        yield Problem("spec.modelRef", message, "warning", "bad-layer-split")


def _parallel_problems(service: Context) -> Iterator[Problem]:
    """Reports a server that spreads its model over more GPUs than the pod has."""
    engine = service.engine
    if not engine.tensor_parallel or not service.gpus:
        return
    flags = {engine.tensor_parallel, engine.expert_parallel}
    fields = [argument.field for argument in service.arguments if argument.words[0] in flags and argument.field]
    sizes = {field: service.launch.get(field) for field in fields}
    too_large = {field: size for field, size in sizes.items() if isinstance(size, int) and size > service.gpus}
    if too_large:
        message = f"must be at most the {service.gpus} GPUs of a pod (the Model's gpu.count or resources.gpu)"
        yield from (Problem(f"spec.{field}", f"{message}, got {size}") for field, size in too_large.items())
        return
    message = too_few_gpus(engine, service.command_line.flags, {"limits": {service.device: str(service.gpus)}})
    if message:
        yield Problem(_parallel_field(service), message, "warning", "too-few-accelerators")


def _parallel_field(service: Context) -> str:
    """Field that spreads the model over GPUs: the arguments, otherwise a field of the engine."""
    engine = service.engine
    flags = {engine.tensor_parallel, *engine.parallel, *engine.copies}
    if not flags.isdisjoint(service.extra_flags):
        return "spec.extraArgs"
    fields = [argument.field for argument in service.arguments if argument.words[0] in flags and argument.field]
    return f"spec.{fields[-1]}" if fields else "spec.extraArgs"


def _sharing_problems(service: Context) -> Iterator[Problem]:
    sharing, gpu = service.gpu_sharing, service.gpu
    if sharing.mode == "exclusive":
        return
    if service.gpus != 1:
        message = (
            f"{sharing.mode} takes exactly one GPU, but the pods request {service.gpus}; set exclusive, or request "
            "one GPU"
        )
        yield Problem(f"{_SHARING}.mode", message)
    if gpu.resourceClaims:
        message = (
            f"{sharing.mode} excludes the resourceClaims of Model {service.spec.modelRef}, which choose the device; "
            "remove one of them"
        )
        yield Problem(f"{_SHARING}.mode", message)
    if sharing.mode == "partitioned" and gpu.vendor != "nvidia":
        message = f"partitioned works only with NVIDIA GPUs, but Model {service.spec.modelRef} has vendor {gpu.vendor}"
        yield Problem(f"{_SHARING}.mode", message)
    if sharing.mode == "partitioned" and gpu.resourceName:
        message = f"names a device, but resourceName of Model {service.spec.modelRef} names one too; remove one of them"
        yield Problem(f"{_SHARING}.profile", message)
    if sharing.mode == "shared" and gpu.vendor != "amd" and not service.settings.gpuSharingSharedPoolSelector:
        message = (
            "shared needs dedicated nodes, because their GPUs look like any other; write the nodes' labels in "
            "settings.llmkube.gpuSharingSharedPoolSelector"
        )
        yield Problem(f"{_SHARING}.mode", message)
