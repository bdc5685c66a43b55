"""Checks between a service, its Model and the platform's settings.

Decisions: L11 (docs/decisions).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....findings import Problem
from ....kubernetes.labels import QUEUE
from ....kubernetes.metadata import is_label_value
from ....kubernetes.spelling import listed, nearest
from .. import names
from ..context import Context, named_draft
from ..deployment import volumes
from ..existing_claims import Claims, claim_problems, source_claim_problems
from ..job import prefetching
from ..kinds import Model
from ..labels import POD, label_layers
from ..settings import LLMKubeSettings
from ..sources import is_below, parse
from .engine import engine_problems
from .gpus import gpu_problems

_FEW = 30
"""Maximum number of names to compare with a wrong one, because comparing is slow."""


def missing_model(wanted: str, namespace: str, known: Iterable[str], path: str) -> Problem:
    """The error for a reference at ``path`` to a Model that no manifest of the namespace has."""
    there = sorted(known)
    near = nearest(wanted, there) if len(there) <= _FEW else None
    hint = f"did you mean {near}?" if near else f"Models there: {listed(there)}"
    message = f"Model {wanted} is not among the manifests of namespace {namespace}; {hint}"
    return Problem(path, message, code="not-found", missing=wanted)


def model_problems(model: Model, claims: Claims, settings: LLMKubeSettings) -> Iterator[Problem]:
    """Why a Model can't be served on this platform."""
    phase, source = model.observed("phase"), parse(model.spec.source)
    if phase == "Failed":
        message = (
            "is Failed: LLMKube could not download the model and started no pods for it; here its services are made, "
            "and their own pods download it, so check the source, or remove the Model and its services"
        )
        yield Problem("status.phase", message, "warning", "model-not-ready")
    elif phase and phase != "Ready":
        message = (
            f"is {phase}, not Ready, so the Model can't be served yet; wait until it is Ready, or remove the status, "
            "which nothing here needs"
        )
        yield Problem("status.phase", message, code="model-not-ready")
    in_cluster = model.spec.hardware.accelerator != "metal"  # on the Mac a source is the Mac's
    if source.kind == "pvc" and source.place and in_cluster:
        yield from source_claim_problems(model.namespace, source.place, claims, settings)
    if model.spec.prefetch and prefetching(model, settings) is None:
        message = (
            "has no effect, because only models from http or from files of a repository are prefetched into the "
            "shared cache"
        )
        yield Problem("spec.prefetch", message, "warning", "no-effect")
    if model.spec.prefetch and not is_label_value(names.prefetch_job(model.name)):
        message = (
            "must have at most 54 characters with spec.prefetch, because the pods of its Job are labeled with the "
            "Job's name"
        )
        yield Problem("metadata.name", message)
    if source.kind == "local" and in_cluster and not is_below(source.path, settings.allowedHostPathRoots):
        roots = ", ".join(settings.allowedHostPathRoots) or "none"
        message = (
            f"{source.path} is on the node, outside the folders that may be read ({roots}); add its folder to "
            "settings.llmkube.allowedHostPathRoots, or use another source"
        )
        yield Problem("spec.source", message, code="source-not-allowed")


def service_problems(service: Context, claims: Claims, pod: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems of the service with its Model. ``pod`` is the spec of its pods, empty if none run in the cluster."""
    yield from _loading_problems(service)
    yield from gpu_problems(service)
    yield from _cache_claim_problems(service, claims)
    yield from _argument_problems(service)
    yield from _label_problems(service)
    yield from _queue_problems(service)
    yield from _draft_problems(service)
    yield from _companion_problems(service)
    yield from _objective_problems(service)
    yield from _mount_problems(service)
    yield from _gate_problems(service)
    yield from engine_problems(service, pod)


def _loading_problems(service: Context) -> Iterator[Problem]:
    engine, source = service.engine, service.source
    if service.served_outside:
        message = (
            "has accelerator metal, so LLMKube's agent on the Mac serves it and nothing is rendered for the cluster"
        )
        yield Problem("spec.modelRef", f"Model {service.spec.modelRef} {message}", "info", "metal")
        return
    unstaged = source.kind == "repository" and not service.storage.files and not service.spec.skipModelInit
    if unstaged and "file" in engine.loads and "repository" not in engine.loads:
        message = (
            f"Model {service.spec.modelRef} is the Hugging Face repository {source.place}, but llama.cpp needs to "
            "know which files to load; list them in the Model's spec.files, or write the URL of one file as its "
            "spec.source"
        )
        yield Problem("spec.modelRef", message, code="files-needed")
    elif unstaged:
        message = (
            f"is not set, but no downloader can fetch the Hugging Face repository of Model {service.spec.modelRef}; "
            "nothing is downloaded here, but LLMKube's operator needs true"
        )
        yield Problem("spec.skipModelInit", message, "warning", "MissingSkipModelInit")
    pod = service.spec.podSecurityContext
    if service.storage.is_filled and pod and pod.runAsNonRoot and pod.runAsUser is None:
        message = (
            "is needed with runAsNonRoot unless the cluster sets a user, because the downloader's image gives its "
            "user only by name"
        )
        yield Problem("spec.podSecurityContext.runAsUser", message, "warning", "no-user")
    yield from _no_model(service)
    if service.storage.kind == "emptyDir" and source.kind == "local":
        message = f"Model {service.spec.modelRef} is on the node, which requires the model cache; set modelCachePath"
        yield Problem("spec.modelRef", message, "warning", "no-cache")


def _no_model(service: Context) -> Iterator[Problem]:
    """Warns if a server in its default image gets no model: it starts, and every request fails."""
    spec, engine = service.spec, service.engine
    if not spec.skipModelInit or spec.image or service.storage.path or not engine.model_sources:
        return
    if engine.model_sources.isdisjoint([*service.extra_flags, *(variable.name for variable in spec.env)]):
        message = "is true, but nothing else provides a model; remove it, or name the model in extraArgs (--model, -hf)"
        yield Problem("spec.skipModelInit", message, "warning", "no-model")


def _cache_claim_problems(service: Context, claims: Claims) -> Iterator[Problem]:
    cache, path = service.spec.modelCache, "spec.modelCache.claimName"
    if cache is None or not cache.claimName or cache.persistence == "Ephemeral":
        return
    if service.storage.kind == "cache":
        yield from claim_problems(path, service.namespace, cache.claimName, claims, service.settings)
        return
    if service.storage.kind == "pvc":
        reason = f"the model is on the claim of {service.source.text}"
    elif service.storage.kind == "none":
        reason = "nothing is downloaded"
    else:
        reason = "settings.llmkube.modelCachePath is empty, so every pod downloads the model itself"
    yield Problem(path, f"has no effect: {reason}", "warning", "ModelCacheClaimIgnored")


def _argument_problems(service: Context) -> Iterator[Problem]:
    for argument, flag in service.command_line.overridden:
        if argument.field:
            message = f"has no effect, because {flag} in extraArgs overrides it; keep one of them"
            yield Problem(f"spec.{argument.field}", message, "warning", "overridden")
    port = service.extra_flags.get("--port") if service.engine.reads("extraArgs") else None
    if port is not None and str(port) != str(service.port):
        message = (
            f"sets --port {port}, but the container port, the probes and the Service use {service.port}; set "
            "spec.containerPort instead"
        )
        yield Problem("spec.extraArgs", message, "warning", "other-port")


def _label_problems(service: Context) -> Iterator[Problem]:
    _, user, owned = label_layers(service)
    for key, value in user.passing(POD).items():
        if key in owned.values and owned.values[key] != value:
            message = f"{key} is {owned.values[key]!r} on every pod, because selectors rely on it; remove it"
            yield Problem("spec.podLabels", message, "warning", "owned-key", key)


def _queue_problems(service: Context) -> Iterator[Problem]:
    if service.spec.suspend and service.queued:
        message = (
            f"has no effect beside the label {QUEUE}: Kueue holds the pods back until it admits them; set "
            "replicas to 0 to stop the InferenceService"
        )
        yield Problem("spec.suspend", message, "info", "no-effect")


def _draft_problems(service: Context) -> Iterator[Problem]:
    draft, (path, named) = service.launch.get("draft.model"), named_draft(service.spec)
    if not named or not service.engine.reads(path.split(".")[1]):
        return
    if not service.draft:
        message = (
            f"is Model {named}, whose files these pods don't have; name a Model that is a Hugging Face "
            "repository, or one in the cache or on the claim that the pods mount"
        )
        yield Problem(path, message, "warning", "draft-not-staged")
    elif draft != named and service.storage.kind == "cache" and str(draft).startswith("/"):
        message = f"is read from {draft} of the model cache, but only an InferenceService of that Model puts it there"
        yield Problem(path, message, "warning", "draft-not-staged")


def _companion_problems(service: Context) -> Iterator[Problem]:
    """Checks draft models: a file of the Model, or another Model."""
    decoding, path = service.spec.speculativeDecoding, "spec.speculativeDecoding"
    if decoding is None or "speculativeDecoding" not in service.engine.fields:
        return
    field, files = "draftModel" if decoding.draftModel else "draftModelRef", service.model.spec.files
    if decoding.draftModel and decoding.draftModel not in files:
        message = f"{decoding.draftModel} is not among the files of Model {service.spec.modelRef}; add it to spec.files"
        yield Problem(f"{path}.draftModel", message, code="not-found")
    elif (decoding.draftModel or service.drafter) and not service.launch.get(f"speculativeDecoding.{field}"):
        message = "is not staged, so there is no draft model; remove skipModelInit, or name files of the Model to stage"
        yield Problem(f"{path}.{field}", message, "warning", "draft-not-staged")


def _mount_problems(service: Context) -> Iterator[Problem]:
    mounts = service.spec.extraVolumeMounts
    there = [volume["name"] for volume in volumes(service)] if mounts else []
    for index, mount in enumerate(mounts):
        if mount.name not in there:
            message = (
                f"{mount.name} is not a volume of the pod, which has {', '.join(there)}; add it to spec.extraVolumes"
            )
            yield Problem(f"spec.extraVolumeMounts[{index}].name", message, code="unknown-volume")


def _objective_problems(service: Context) -> Iterator[Problem]:
    if service.spec.slo and not service.settings.enablePyrraSLO:
        message = (
            "has no effect while settings.llmkube.enablePyrraSLO is false; set it to true if the cluster has Pyrra"
        )
        yield Problem("spec.slo", message, "warning", "no-effect")
    if service.spec.slo and service.settings.enablePyrraSLO and not service.settings.podMonitor.enabled:
        message = (
            "needs metrics that a PodMonitor scrapes; set settings.llmkube.podMonitor.enabled, or add a PodMonitor"
        )
        yield Problem("spec.slo", message, "warning", "not-scraped")


def _gate_problems(service: Context) -> Iterator[Problem]:
    """Values that an API server accepts only with a feature gate that is off by default."""
    context = service.spec.podSecurityContext
    if context and context.seLinuxChangePolicy == "MountOption" and "SELinuxMount" not in service.settings.featureGates:
        message = (
            "MountOption needs the feature gate SELinuxMount, which is off by default; list it in "
            "settings.llmkube.featureGates if your cluster enables it, or leave the field out"
        )
        yield Problem("spec.podSecurityContext.seLinuxChangePolicy", message, code="feature-gate")
