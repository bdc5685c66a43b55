"""The status of a service, from what its Deployment and pods report.

Mirrors defilantech/LLMKube internal/controller/status_builder.go at v0.9.19.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...kubernetes.status import Condition, Live, ServiceStatus, conditions_of, counter, failures, ready_replicas
from . import names
from .context import Context
from .priority_class import VALUES


class Facts(NamedTuple):
    """What the status needs to know of a service's spec. ``notes`` are conditions that the spec alone decides."""

    endpoint: str
    replicas: int
    autoscaled: bool
    device: str
    gpus: int
    priority: str
    mode: str
    served_outside: bool = False
    suspended: bool = False
    notes: tuple[Condition, ...] = ()


def facts(service: Context) -> Facts:
    spec = service.spec
    return Facts(
        endpoint=names.endpoint(service.name, service.namespace, service.service_port, spec.endpoint.path),
        replicas=service.replicas,
        autoscaled=service.autoscaling is not None,
        device=service.device,
        gpus=service.gpus,
        priority=spec.priority,
        mode=service.mode,
        served_outside=service.served_outside,
        suspended=service.suspended,
        notes=tuple(_spec_notes(service)),
    )


def _spec_notes(service: Context) -> Iterator[Condition]:
    config = service.spec.vllmConfig
    if config is None or not service.engine.reads("vllmConfig"):
        return
    if config.speculative and config.speculative.enabled and not config.speculative.model:
        message = "speculative decoding is on, but names no draft model"
        yield Condition("VLLMSpecValid", "False", "SpeculativeMissingModel", message)
    elif config.cpuOffloadGB:
        message = "offloading to system memory is not verified for every model"
        yield Condition("VLLMSpecValid", "False", "CPUOffloadUnverified", message)


def observe(known: Facts, live: Live) -> ServiceStatus:
    """The status. ``live`` has the Deployment's status under ``deployment``, and under ``pods`` as far as someone
    looked: ``schedulingMessages`` (texts) and ``queuePosition``."""
    deployment, pods = live.get("deployment", {}), live.get("pods", {})
    ready, desired = ready_replicas(deployment), known.replicas
    if known.autoscaled and "replicas" in deployment:
        desired = counter(deployment, "replicas")
    blocked = _blocking(known, pods.get("schedulingMessages", ())) if ready < desired else ""
    phase, conditions = _phase(known, ready, desired, bool(blocked), pods.get("queuePosition", 1))
    details: dict[str, Any] = {
        "effectivePriority": VALUES[known.priority],
        "mode": known.mode,
        "modelReady": True,
        "replicas": desired,
    }
    if blocked:
        details |= {
            "queuePosition": pods.get("queuePosition", 1),
            "schedulingMessage": blocked,
            "schedulingStatus": "InsufficientGPU",
            "waitingFor": f"{known.device}: {known.gpus}",
        }
    elif known.served_outside:
        details |= {
            "schedulingMessage": "LLMKube's agent serves this model outside the cluster",
            "schedulingStatus": "WaitingForMetalAgent",
        }
    shown = (*map(_degraded, failures(deployment)), *conditions, _suspended(known), *known.notes)
    return ServiceStatus(phase, known.endpoint, ready, desired, shown, details)


def _suspended(known: Facts) -> Condition:
    if known.suspended:
        return Condition("Suspended", "True", "Suspended", "the service has no pods while spec.suspend is true")
    return Condition("Suspended", "False", "NotSuspended", "the service is not suspended")


def _blocking(known: Facts, messages: Sequence[str]) -> str:
    """The first message of the scheduler that says a GPU is missing."""
    return next((text for text in messages if f"Insufficient {known.device}" in text), "")


def _phase(known: Facts, ready: int, desired: int, blocked: bool, position: int) -> tuple[str, tuple[Condition, ...]]:
    counted = f"({ready}/{desired} replicas ready)"
    if known.suspended:
        return "Suspended", (Condition("Available", "False", "Suspended", "spec.suspend is true"),)
    if desired == 0:
        return "Stopped", (Condition("Available", "False", "ManuallyScaledToZero", "spec.replicas is 0"),)
    if ready >= desired:
        return "Ready", (Condition("Available", "True", "InferenceReady", f"serves requests {counted}"),)
    if blocked:
        wanted = f"{known.gpus} of {known.device}"
        return "WaitingForGPU", (
            Condition("GPUAvailable", "False", "InsufficientGPU", f"no node has {wanted} free"),
            Condition("Progressing", "True", "WaitingForGPU", f"number {position} in the queue for GPUs"),
        )
    creating = Condition("Progressing", "True", "Creating", f"pods are being created {counted}")
    return "Progressing" if ready else "Creating", (creating,)


def _degraded(failure: Condition) -> Condition:
    return Condition("Degraded", "True", failure.reason or failure.type, failure.message)


def observe_prefetch(live: Live) -> ServiceStatus:
    """The status of a Model that a Job downloads."""
    ended = {
        condition.type: condition for condition in conditions_of(live.get("job", {})) if condition.status == "True"
    }
    if "Complete" in ended:
        return _prefetch("Ready", Condition("Available", "True", "ModelPrefetched", "the model is in the shared cache"))
    if "Failed" in ended:
        message = f"the Job failed, see the logs of its pods: {ended['Failed'].message}"
        return _prefetch("Failed", Condition("Progressing", "False", "PrefetchFailed", message))
    return _prefetch("Downloading", Condition("Progressing", "True", "PrefetchRunning", "the Job downloads the model"))


def _prefetch(phase: str, condition: Condition) -> ServiceStatus:
    return ServiceStatus(phase, desired=1, ready=int(phase == "Ready"), conditions=(condition,))
