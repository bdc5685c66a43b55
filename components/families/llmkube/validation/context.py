"""What is wrong between a service, its Model and the platform's settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from ....engines.llama_cpp import tensor_split
from ....findings import Problem
from ....kubernetes.args import value_of
from ..claims import Claims, one_node_claim, source_claim_problems
from ..context import Context
from ..deployment import command_line
from ..kinds import InferenceService, Model
from ..labels import POD, label_layers
from ..persistent_volume_claim import is_shared
from ..settings import LLMKubeSettings
from ..sources import is_below, parse
from .inference_service import pods_at_most


def missing_model(service: InferenceService, known: Iterable[str]) -> Problem:
    """The error for a reference to a Model that is not among the manifests."""
    wanted, names = service.spec.modelRef, sorted(known)
    near = difflib.get_close_matches(wanted, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"Models there: {', '.join(names) or 'none'}"
    message = f"no Model {wanted} among the manifests in namespace {service.namespace}; {hint}"
    return Problem("spec.modelRef", message, code="not-found")


def model_problems(model: Model, claims: Claims, settings: LLMKubeSettings) -> Iterator[Problem]:
    """Why a Model can't be served on this platform."""
    phase, source = model.observed("phase"), parse(model.spec.source)
    if phase and phase != "Ready":
        message = (
            f"says that the Model is {phase}: serve it when it is Ready, or remove the status, which nothing here needs"
        )
        yield Problem("status.phase", message, code="model-not-ready")
    if source.kind == "pvc" and source.place:
        yield from source_claim_problems(model.namespace, source.place, claims, settings)
    if source.kind == "local" and not is_below(source.path, settings.allowedHostPathRoots):
        roots = ", ".join(settings.allowedHostPathRoots) or "none"
        message = (
            f"{source.path} is on the node, outside the folders that may be read ({roots}): add its folder to "
            "settings.llmkube.allowedHostPathRoots, or use another source"
        )
        yield Problem("spec.source", message, code="source-not-allowed")


def service_problems(service: Context, claims: Claims) -> Iterator[Problem]:
    """Problems of the service with the Model that it has, under the path of the service's field."""
    yield from _loading_problems(service)
    yield from _gpu_problems(service)
    yield from _claim_problems(service, claims)
    yield from _argument_problems(service)
    yield from _label_problems(service)
    yield from _draft_problems(service)
    yield from _gate_problems(service)


def _loading_problems(service: Context) -> Iterator[Problem]:
    engine, source = service.engine, service.source
    if service.served_outside:
        message = "has accelerator metal: LLMKube's agent on the Mac serves it, and nothing is rendered for the cluster"
        yield Problem("spec.modelRef", f"Model {service.spec.modelRef} {message}", "info", "metal")
        return
    unstaged = source.kind == "repository" and not service.storage.files and not service.spec.skipModelInit
    if unstaged and engine.reads_files and not engine.loads_repositories:
        message = (
            f"Model {service.spec.modelRef} is the Hugging Face repository {source.place}, from which llama.cpp needs "
            "certain files: name them in the Model's spec.files, or write the URL of one file as its spec.source"
        )
        yield Problem("spec.modelRef", message, code="files-needed")
    elif unstaged:
        message = (
            f"is not set, and no downloader can fetch the Hugging Face repository of Model {service.spec.modelRef}: "
            "nothing does here, but set it to true for LLMKube's own operator"
        )
        yield Problem("spec.skipModelInit", message, "warning", "MissingSkipModelInit")
    pod = service.spec.podSecurityContext
    if service.storage.is_filled and pod and pod.runAsNonRoot and pod.runAsUser is None:
        message = "is needed with runAsNonRoot unless the cluster sets one: the downloader's image names its user only"
        yield Problem("spec.podSecurityContext.runAsUser", message, "warning", "no-user")
    if service.storage.kind == "emptyDir" and source.kind == "local":
        message = f"Model {service.spec.modelRef} is on the node, which needs the model cache: set modelCachePath"
        yield Problem("spec.modelRef", message, "warning", "no-cache")


def _gpu_problems(service: Context) -> Iterator[Problem]:
    spec, gpu = service.spec, service.gpu
    parallel = spec.vllmConfig.tensorParallelSize if spec.vllmConfig else None
    if service.engine.reads("vllmConfig") and parallel and 0 < service.gpus < parallel:
        message = f"must be at most the {service.gpus} GPUs of a pod (the Model's gpu.count or resources.gpu)"
        yield Problem("spec.vllmConfig.tensorParallelSize", f"{message}, got {parallel}")
    if gpu.enabled and not service.gpus and not service.served_outside:
        message = f"is not set, and Model {spec.modelRef} has gpu.enabled without a count: the pods get no GPU"
        yield Problem("spec.resources.gpu", message, "warning", "no-gpus")
    if gpu.count and spec.resources.gpu and gpu.count != spec.resources.gpu:
        message = f"is {spec.resources.gpu}, but Model {spec.modelRef} says {gpu.count}, which counts: make them equal"
        yield Problem("spec.resources.gpu", message, "warning", "gpu-counts-differ")
    split = gpu.sharding.layerSplit if gpu.sharding else []
    if split and service.gpus and tensor_split(split, service.gpus) is None:
        message = (
            f"Model {spec.modelRef}: layerSplit must have one start-end for each of {service.gpus} GPUs, so the layers "
            "are split evenly"
        )
        yield Problem("spec.modelRef", message, "warning", "bad-layer-split")


def _claim_problems(service: Context, claims: Claims) -> Iterator[Problem]:
    mode, pods = one_node_claim(service, claims), pods_at_most(service.spec)
    if service.served_outside or not mode or pods < 2:
        return
    if service.storage.kind == "pvc":
        advice = "use a claim that several nodes can mount (ReadOnlyMany or ReadWriteMany)"
    elif is_shared(service):
        advice = "set settings.llmkube.modelCacheAccessMode: ReadWriteMany, with a storage class that has it"
    else:
        advice = "set settings.llmkube.modelCacheMode: shared and modelCacheAccessMode: ReadWriteMany"
    message = (
        f"up to {pods} pods share claim {service.storage.claim}, whose access mode {mode} lets only one node mount it: "
        f"{advice}, or run one pod"
    )
    field = "spec.autoscaling.maxReplicas" if service.spec.autoscaling else "spec.replicas"
    yield Problem(field, message, "warning", "claim-of-one-node")


def _argument_problems(service: Context) -> Iterator[Problem]:
    dialect, user = service.engine.dialect, service.spec.extraArgs
    for argument, flag in command_line(service).overridden:
        if argument.field:
            message = f"has no effect: extraArgs sets {flag}, which counts; keep one of them"
            yield Problem(f"spec.{argument.field}", message, "warning", "overridden")
    port = value_of("--port", user, dialect) if service.engine.extra_arguments else None
    if port is not None and str(port) != str(service.port):
        message = (
            f"sets --port {port}, but the container port, the probes and the Service use {service.port}: set "
            "spec.containerPort instead"
        )
        yield Problem("spec.extraArgs", message, "warning", "other-port")


def _label_problems(service: Context) -> Iterator[Problem]:
    user, owned = label_layers(service)
    for key, value in user.passing(POD).items():
        if key in owned.values and owned.values[key] != value:
            message = f"{key} is {owned.values[key]!r} on every pod, because selectors rely on it: remove it"
            yield Problem("spec.podLabels", message, "warning", "owned-key", key)


def _draft_problems(service: Context) -> Iterator[Problem]:
    draft = service.launch.get("draft.model")
    if service.engine.reads("vllmConfig") and isinstance(draft, str) and draft.startswith("/"):
        message = f"is served from {draft} of the model cache, where only a service of that Model puts it"
        yield Problem("spec.vllmConfig.speculative.model", message, "warning", "draft-not-staged")


def _gate_problems(service: Context) -> Iterator[Problem]:
    """Values that an API server takes only with a feature gate that is off by default."""
    context = service.spec.podSecurityContext
    if context and context.seLinuxChangePolicy == "MountOption" and "SELinuxMount" not in service.settings.featureGates:
        message = (
            "MountOption needs the feature gate SELinuxMount, which clusters have off by default: list it in "
            "settings.llmkube.featureGates where yours has it on, or leave the field out"
        )
        yield Problem("spec.podSecurityContext.seLinuxChangePolicy", message, code="feature-gate")
