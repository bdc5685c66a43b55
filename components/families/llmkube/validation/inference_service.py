"""What is wrong within one InferenceService, beyond its types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....findings import Problem
from ....kubernetes.core import KeySelector
from ....kubernetes.env import env_problems
from ....kubernetes.metadata import is_label_value, is_subdomain, label_problems
from ....kubernetes.model import ObjectMeta, Spec
from ....kubernetes.probes import probe_problems
from ....kubernetes.quantities import amount
from ....kubernetes.scalars import Opaque
from ....kubernetes.scheduling import toleration_problems
from ....kubernetes.secrets import argument_secrets, env_secrets
from ....kubernetes.security import security_problems
from ..names import PORT, service_name
from ..runtimes import RUNTIMES
from ..spec import Autoscaling, InferenceServiceSpec, Metric

_SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_TOKENS = sorted({engine.token[1] for engine in RUNTIMES.values()} - {""})
_ENGINE_FIELDS = frozenset[str]().union(*(engine.fields for engine in RUNTIMES.values()))


def problems(metadata: ObjectMeta, spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from _name_problems(metadata.name)
    yield from _pod_metadata_problems(spec)
    yield from _image_problems(spec)
    yield from env_problems(spec.env, "spec.env")
    yield from env_secrets(spec.env, "spec.env")
    for field in ("args", "command", "extraArgs"):
        yield from argument_secrets(getattr(spec, field), f"spec.{field}")
    yield from _probe_problems(spec)
    yield from security_problems(spec.podSecurityContext, "spec.podSecurityContext")
    yield from security_problems(spec.securityContext, "spec.securityContext")
    yield from toleration_problems(spec.tolerations, "spec.tolerations")
    yield from label_problems(spec.nodeSelector, "spec.nodeSelector")
    yield from _reference_problems(spec)
    yield from _resource_problems(spec)
    yield from _autoscaling_problems(spec)
    yield from _notes(spec)


def _name_problems(name: str) -> Iterator[Problem]:
    if not is_subdomain(name) or not is_label_value(name) or not _SERVICE_NAME.fullmatch(service_name(name)):
        message = (
            "must be at most 63 lower-case letters, digits, '-' and '.', begin with a letter and end with a letter or "
            f"digit: the Service and the pods' labels are called after it; got {name!r}"
        )
        yield Problem("metadata.name", message)


def _pod_metadata_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    yield from label_problems(spec.podLabels, "spec.podLabels")
    for key in spec.podAnnotations:
        # Values of annotations may be anything; their keys follow the rule of label keys.
        yield from label_problems({key.lower(): ""}, "spec.podAnnotations")


def _image_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    if not spec.image and RUNTIMES[spec.runtime].image is None:
        yield Problem("spec.image", f"is required: runtime {spec.runtime} has no default image", code="required")


def _probe_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for kind in ("startup", "liveness", "readiness"):
        given = getattr(spec.probeOverrides, kind)
        if given is not None:
            yield from probe_problems(kind, given, f"spec.probeOverrides.{kind}", (PORT,))


def _reference_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for path in _TOKENS:
        field, _, name = path.partition(".")
        token: KeySelector | None = getattr(getattr(spec, field, None), name, None)
        if token is not None and not token.name:
            message = "is required: the name of the Secret with the token"
            yield Problem(f"spec.{path}.name", message, code="required")
    for index, secret in enumerate(spec.imagePullSecrets):
        if not secret.name:
            yield Problem(f"spec.imagePullSecrets[{index}].name", "is required", code="required")
    for field in ("priorityClassName", "runtimeClassName"):
        value = getattr(spec, field)
        if isinstance(value, str) and value and not is_subdomain(value):
            yield Problem(f"spec.{field}", f"must be lower-case letters, digits, '-' and '.', got {value!r}")


def _resource_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    for field in ("cpu", "memory", "hostMemory", "gpuMemory"):
        value = getattr(spec.resources, field)
        if isinstance(value, str) and amount(value) < 0:
            yield Problem(f"spec.resources.{field}", f"must be 0 or more, got {value}", code="bad-value")


def _autoscaling_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    scaling = spec.autoscaling
    if scaling is None:
        return
    if scaling.minReplicas > scaling.maxReplicas:
        message = f"must be at most maxReplicas ({scaling.maxReplicas}), got {scaling.minReplicas}"
        yield Problem("spec.autoscaling.minReplicas", message)
    if spec.replicas == 0:
        message = "has no effect with autoscaling, which keeps at least one pod: remove spec.autoscaling to stop it"
        yield Problem("spec.replicas", message, "warning", "autoscaled")
    if not scaling.metrics and not RUNTIMES[spec.runtime].metric:
        message = f"is required: runtime {spec.runtime} has no load metric of its own to scale on"
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
    if metric.type == "Resource" and not _requests(spec, metric.name):
        message = f"is a share of the pods' {metric.name} request, and they have none: set spec.resources.{metric.name}"
        yield Problem(f"{path}.name", message, "warning", "no-request")


def _requests(spec: InferenceServiceSpec, resource: str) -> bool:
    given = {"cpu": spec.resources.cpu, "memory": spec.resources.hostMemory or spec.resources.memory}
    return given.get(resource) is not None


def _notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    """What works, but perhaps not as meant."""
    resources = spec.resources
    if (spec.moeCPUOffload or spec.noKvOffload) and resources.memory is None and resources.hostMemory is None:
        message = "is needed with moeCPUOffload or noKvOffload: without a request the pod may be killed for its memory"
        yield Problem("spec.resources.hostMemory", message, "warning", "MissingMemoryRequest")
    engine = RUNTIMES[spec.runtime]
    for field in sorted(_ENGINE_FIELDS - engine.fields):
        if field in spec.model_fields_set and _says_something(getattr(spec, field)):
            yield Problem(f"spec.{field}", f"has no effect with runtime {spec.runtime}", "warning", "no-effect")
    yield from _vllm_notes(spec)


def _says_something(value: Any) -> bool:
    return isinstance(value, Spec | Opaque) or bool(value)


def _vllm_notes(spec: InferenceServiceSpec) -> Iterator[Problem]:
    config = spec.vllmConfig
    if config is None or not RUNTIMES[spec.runtime].reads("vllmConfig"):
        return
    if config.cpuOffloadGB:
        message = "is passed on, but not every model and backend of vLLM can offload: test it"
        yield Problem("spec.vllmConfig.cpuOffloadGB", message, "warning", "CPUOffloadUnverified")
    if config.speculative and config.speculative.enabled and not config.speculative.model:
        message = "is missing, so there is no speculative decoding: name the draft model, or set enabled: false"
        yield Problem("spec.vllmConfig.speculative.model", message, "warning", "SpeculativeMissingModel")


def pods_at_most(spec: InferenceServiceSpec) -> int:
    """The most pods that the service may have."""
    scaling: Autoscaling | None = spec.autoscaling
    return scaling.maxReplicas if scaling else spec.replicas
