"""Checks within one InferenceService, beyond its types."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ....findings import Problem
from ....kubernetes.api_fields import field_problems
from ....kubernetes.core import KeySelector
from ....kubernetes.env import env_problems
from ....kubernetes.labels import KUEUE
from ....kubernetes.metadata import is_label_value, is_subdomain, label_problems
from ....kubernetes.model import ObjectMeta, Spec
from ....kubernetes.pod_checks import mount_problems, spread_problems, toleration_problems, volume_problems
from ....kubernetes.probes import probe_problems
from ....kubernetes.quantities import amount
from ....kubernetes.scalars import Opaque, describe
from ....kubernetes.security import security_problems
from ....kubernetes.values import repeated
from ..names import PORT, service_name
from ..not_covered import SERVICE, not_covered
from ..runtimes import RUNTIMES
from ..spec import DRAFT_METHODS, InferenceServiceSpec, Metric

_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_MIG_PROFILE = re.compile(r"[0-9]+g\.[0-9]+gb")
_TOKENS = sorted({engine.token[1] for engine in RUNTIMES.values()} - {""})
_ENGINE_FIELDS = frozenset[str]().union(*(engine.fields for engine in RUNTIMES.values()))


def problems(metadata: ObjectMeta, spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from _name_problems(metadata.name)
    yield from label_problems({key: value for key, value in metadata.labels.items() if key.startswith(KUEUE)})
    if not spec.image and RUNTIMES[spec.runtime].image is None:
        yield Problem("spec.image", f"is required: runtime {spec.runtime} has no default image", code="required")
    yield from pod_problems(spec)
    yield from _token_problems(spec)
    yield from _resource_problems(spec)
    yield from _gpu_sharing_problems(spec)
    yield from _model_cache_problems(spec)
    yield from _speculative_problems(spec)
    yield from _slo_problems(spec)
    yield from _endpoint_problems(spec)
    yield from _autoscaling_problems(spec)
    yield from _notes(spec)
    yield from not_covered(spec, SERVICE)


def _name_problems(name: str) -> Iterator[Problem]:
    if not is_subdomain(name) or not is_label_value(name) or not _SERVICE_NAME.fullmatch(service_name(name)):
        message = (
            "must be at most 63 lower-case letters, digits, '-' and '.', begin with a letter and end with a letter "
            f"or digit, because the Service and the pods' labels use it; got {name!r}"
        )
        yield Problem("metadata.name", message)


def _token_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for path in _TOKENS:
        field, _, name = path.partition(".")
        token: KeySelector | None = getattr(getattr(spec, field, None), name, None)
        if token is not None and not token.name:
            message = "is required and names the Secret with the token"
            yield Problem(f"spec.{path}.name", message, code="required")


def _resource_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for field in ("cpu", "memory", "hostMemory", "ephemeralStorage"):
        value = getattr(spec.resources, field)
        if isinstance(value, str) and amount(value) < 0:
            yield Problem(f"spec.resources.{field}", f"must be 0 or more, got {value}", code="bad-value")


def _gpu_sharing_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    sharing, path = spec.resources.gpuSharing, "spec.resources.gpuSharing"
    if sharing is None:
        return
    if sharing.mode == "partitioned" and not _MIG_PROFILE.fullmatch(sharing.profile):
        message = f"must be a MIG profile such as 1g.24gb for mode partitioned, got {describe(sharing.profile)}"
        yield Problem(f"{path}.profile", message, code="bad-value")
    if sharing.mode != "partitioned" and sharing.profile:
        yield Problem(f"{path}.profile", "needs mode partitioned; set the mode, or remove it")
    if sharing.mode != "shared" and sharing.memoryLimitGiB is not None:
        yield Problem(f"{path}.memoryLimitGiB", "needs mode shared; set the mode, or remove it")


def _model_cache_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    cache, path = spec.modelCache, "spec.modelCache"
    if cache is None:
        return
    if cache.claimName and cache.persistence == "Ephemeral":
        yield Problem(f"{path}.claimName", "names a cache, but persistence Ephemeral excludes one; remove one of them")
    if cache.claimName and not is_subdomain(cache.claimName):
        message = f"must be the name of a PersistentVolumeClaim, got {describe(cache.claimName)}"
        yield Problem(f"{path}.claimName", message, code="bad-value")
    if cache.persistence == "Ephemeral" and spec.resources.ephemeralStorage is None:
        message = (
            "is missing with modelCache.persistence Ephemeral, so a download may fill the node's disk; set it to "
            "limit the download"
        )
        yield Problem("spec.resources.ephemeralStorage", message, "warning", "UnboundedEphemeralCache")


def _speculative_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    speculative, path = spec.speculativeDecoding, "spec.speculativeDecoding"
    if speculative is None:
        return
    named = [name for name in ("draftModel", "draftModelRef") if getattr(speculative, name)]
    if len(named) == 2:
        yield Problem(f"{path}.draftModelRef", "names a Model, but draftModel names a file; remove one of them")
    if speculative.method in DRAFT_METHODS and not named:
        message = f"is required for type {speculative.type}, or draftModel with a file of the Model's files"
        yield Problem(f"{path}.draftModelRef", message, code="required")
    if named and not speculative.takes_draft:
        yield Problem(
            f"{path}.{named[0]}",
            f"has no meaning for type {speculative.type}, which needs no draft model; remove it",
        )


def _endpoint_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    endpoint = spec.endpoint
    if endpoint.nodePort and endpoint.type != "NodePort":
        message = f"has no effect with type {endpoint.type}; set endpoint.type to NodePort"
        yield Problem("spec.endpoint.nodePort", message, "warning", "no-effect")
    if endpoint.gateway and not endpoint.gateway.enabled:
        message = "is not true, so no route is made; set it to true, or remove endpoint.gateway"
        yield Problem("spec.endpoint.gateway.enabled", message, "warning", "no-effect")


def _slo_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    slo, path = spec.slo, "spec.slo"
    if slo is None:
        return
    if not Decimal(50) <= Decimal(slo.objective) <= Decimal("99.999"):
        yield Problem(f"{path}.objective", f"must be between 50 and 99.999, got {slo.objective}", code="bad-value")
    if slo.indicator == "latency" and slo.latencyThreshold is None:
        yield Problem(f"{path}.latencyThreshold", "is required for indicator latency", code="required")
    if slo.indicator == "latency" and not RUNTIMES[spec.runtime].latency:
        message = (
            f"latency can't be measured, because runtime {spec.runtime} exports no histogram of it; write availability"
        )
        yield Problem(f"{path}.indicator", message, code="bad-value")
    if slo.name and not is_subdomain(slo.name):
        message = f"must be lower-case letters, digits, '-' and '.', got {describe(slo.name)}"
        yield Problem(f"{path}.name", message, code="bad-value")


def _autoscaling_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    scaling = spec.autoscaling
    if scaling is None:
        return
    if scaling.minReplicas > scaling.maxReplicas:
        message = f"must be at most maxReplicas ({scaling.maxReplicas}), got {scaling.minReplicas}"
        yield Problem("spec.autoscaling.minReplicas", message)
    if spec.replicas == 0 and not spec.suspend:
        message = (
            "has no effect with autoscaling, which keeps at least one pod; remove spec.autoscaling to stop the pods"
        )
        yield Problem("spec.replicas", message, "warning", "autoscaled")
    if not scaling.metrics and not RUNTIMES[spec.runtime].metric:
        message = f"is required, because runtime {spec.runtime} has no default load metric to scale on"
        yield Problem("spec.autoscaling.metrics", message, code="required")
    for index, metric in enumerate(scaling.metrics):
        yield from _metric_problems(spec, metric, f"spec.autoscaling.metrics[{index}]")


def _metric_problems(spec: InferenceServiceSpec, metric: Metric, path: str) -> Iterator[Problem]:
    value = metric.targetAverageValue
    if metric.type == "Pods" and value is None:
        yield Problem(f"{path}.targetAverageValue", "is required for type Pods", code="required")
    if isinstance(value, str) and amount(value) <= 0:
        yield Problem(f"{path}.targetAverageValue", f"must be more than 0, got {value}", code="bad-value")
    if metric.type == "Resource" and metric.targetAverageUtilization is None:
        yield Problem(f"{path}.targetAverageUtilization", "is required for type Resource", code="required")
    if metric.type == "Resource" and metric.name not in ("cpu", "memory"):
        message = (
            f"must be cpu or memory, the resources that Kubernetes measures, got {describe(metric.name)}; write type "
            "Pods for a metric of Prometheus"
        )
        yield Problem(f"{path}.name", message, "warning", "bad-value")


def _notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    resources = spec.resources
    if (spec.moeCPUOffload or spec.noKvOffload) and resources.memory is None and resources.hostMemory is None:
        message = "is missing with moeCPUOffload or noKvOffload, so the pod may be killed for its memory; set it"
        yield Problem("spec.resources.hostMemory", message, "warning", "MissingMemoryRequest")
    engine = RUNTIMES[spec.runtime]
    if engine.models_folder and all(mount.mountPath != engine.models_folder for mount in spec.extraVolumeMounts):
        message = (
            f"has no mount at {engine.models_folder}, where runtime {spec.runtime} looks for models; add a volume "
            "with the models to spec.extraVolumes, and its mount here"
        )
        yield Problem("spec.extraVolumeMounts", message, "warning", "no-models")
    for field in sorted(_ENGINE_FIELDS - engine.fields):
        value = getattr(spec, field)
        if field in spec.model_fields_set and (isinstance(value, Spec | Opaque) or value):
            yield Problem(f"spec.{field}", f"has no effect with runtime {spec.runtime}", "warning", "no-effect")
    yield from _vllm_notes(spec)
    yield from _tgi_notes(spec)
    yield from _sglang_notes(spec)


def _vllm_notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    config = spec.vllmConfig
    if config is None or not RUNTIMES[spec.runtime].reads("vllmConfig"):
        return
    if config.cpuOffloadGB:
        message = "is passed on, but not every model and backend of vLLM can offload; test it"
        yield Problem("spec.vllmConfig.cpuOffloadGB", message, "warning", "CPUOffloadUnverified")
    if config.speculative and config.speculative.enabled and not config.speculative.model:
        message = "is missing, so there is no speculative decoding; name the draft model, or set enabled: false"
        yield Problem("spec.vllmConfig.speculative.model", message, "warning", "SpeculativeMissingModel")


def _tgi_notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    config = spec.tgiConfig
    longest, total = (config.maxInputLength, config.maxTotalTokens) if config else (None, None)
    if spec.runtime == "tgi" and longest is not None and total is not None and longest >= total:
        message = (
            f"must be less than maxTotalTokens, {total}, got {longest}, because TGI does not start otherwise "
            "(maxTotalTokens includes the answer)"
        )
        yield Problem("spec.tgiConfig.maxInputLength", message, "warning", "bad-value")


def _sglang_notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    """SGLang takes either all three numbers of a draft tree or none."""
    speculative = spec.sglangConfig.speculative if spec.sglangConfig else None
    if spec.runtime != "sglang" or speculative is None or not speculative.enabled:
        return
    path = "spec.sglangConfig.speculative"
    if speculative.algorithm == "Medusa":
        message = "must be a method that SGLang has (EAGLE, EAGLE3), got Medusa"
        yield Problem(f"{path}.algorithm", message, "warning", "not-in-release")
    missing = [name for name in ("algorithm", "draftModelPath") if not getattr(speculative, name)]
    if missing:
        message = "is missing, so there is no speculative decoding; set it, or set enabled: false"
        yield Problem(f"{path}.{missing[0]}", message, "warning", "SpeculativeMissingModel")
    numbers = {
        "numSteps": speculative.numSteps,
        "eagleTopK": speculative.eagleTopK,
        "numDraftTokens": speculative.numDraftTokens,
    }
    missing = [name for name, value in numbers.items() if value is None]
    if 0 < len(missing) < len(numbers):
        stated = ", ".join(name for name in numbers if name not in missing)
        message = f"is needed beside {stated}; set all three, or none and SGLang chooses them"
        yield Problem(f"{path}.{missing[0]}", message, "warning", "required")


def pod_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from label_problems(spec.podLabels, "spec.podLabels")
    for key in spec.podAnnotations:
        # Annotation values may be anything; their keys follow the rules of label keys.
        yield from label_problems({key.lower(): ""}, "spec.podAnnotations")
    yield from env_problems(spec.env, "spec.env", volumes=[volume.name for volume in spec.extraVolumes])
    for kind in ("startup", "liveness", "readiness"):
        if probe := getattr(spec.probeOverrides, kind):
            yield from probe_problems(kind, probe, f"spec.probeOverrides.{kind}", (PORT,))
    yield from security_problems(spec.podSecurityContext, "spec.podSecurityContext")
    yield from security_problems(spec.securityContext, "spec.securityContext")
    if spec.securityContext and spec.securityContext.procMount == "Unmasked":
        message = "Unmasked needs pods in a user namespace (hostUsers: false), which LLMKube does not make; remove it"
        yield Problem("spec.securityContext.procMount", message, code="bad-value")
    yield from toleration_problems(spec.tolerations, "spec.tolerations")
    yield from label_problems(spec.nodeSelector, "spec.nodeSelector")
    yield from field_problems(spec.affinity, "Affinity", "spec.affinity")
    yield from spread_problems(spec.topologySpreadConstraints, "spec.topologySpreadConstraints")
    yield from _volume_problems(spec)
    for index, secret in enumerate(spec.imagePullSecrets):
        if not secret.name:
            yield Problem(f"spec.imagePullSecrets[{index}].name", "is required", code="required")
    for field in ("priorityClassName", "runtimeClassName"):
        value = getattr(spec, field)
        if isinstance(value, str) and value and not is_subdomain(value):
            yield Problem(f"spec.{field}", f"must be lower-case letters, digits, '-' and '.', got {value!r}")


def _volume_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for index, volume in enumerate(spec.extraVolumes):
        yield from volume_problems(volume, f"spec.extraVolumes[{index}]")
    for index, name, first in repeated(volume.name for volume in spec.extraVolumes):
        message = f"{name} is used twice, first at spec.extraVolumes[{first}]; rename one"
        yield Problem(f"spec.extraVolumes[{index}].name", message, code="duplicate")
    for index, mount in enumerate(spec.extraVolumeMounts):
        path = f"spec.extraVolumeMounts[{index}]"
        yield from mount_problems(mount, path)
        if ":" in mount.mountPath:
            message = f"must not contain ':', got {describe(mount.mountPath)}"
            yield Problem(f"{path}.mountPath", message, code="bad-value")
    for index, place, first in repeated(mount.mountPath for mount in spec.extraVolumeMounts):
        message = (
            f"{place} is mounted twice, first at spec.extraVolumeMounts[{first}], but a container has one mount per "
            "path; remove one"
        )
        yield Problem(f"spec.extraVolumeMounts[{index}].mountPath", message, code="duplicate")
