"""The status of a service, from what its Deployment and pods report.

Mirrors defilantech/LLMKube internal/controller/status_builder.go at v0.9.19.
"""

from collections.abc import Iterator
from typing import Any

from ...kubernetes.status import Condition, Live, ServiceStatus, conditions_of, counter, failures, ready_replicas
from . import names
from .context import Context
from .priority_class import VALUES


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


def observe(service: Context, live: Live) -> ServiceStatus:
    """The status. ``live`` has the Deployment's status under ``deployment`` and, if known, ``schedulingMessages``
    (texts) and ``queuePosition`` under ``pods``."""
    deployment, pods = live.get("deployment", {}), live.get("pods", {})
    ready, desired = ready_replicas(deployment), service.replicas
    endpoint = names.endpoint(service.name, service.namespace, service.service_port, service.spec.endpoint.path)
    if service.autoscaling and "replicas" in deployment:
        desired = counter(deployment, "replicas")
    lacking = [text for text in pods.get("schedulingMessages", ()) if f"Insufficient {service.device}" in text]
    blocked = lacking[0] if lacking and ready < desired else ""
    phase, conditions = _phase(service, ready, desired, bool(blocked), pods.get("queuePosition", 1))
    details: dict[str, Any] = {
        "effectivePriority": VALUES[service.spec.priority],
        "mode": service.mode,
        "modelReady": True,
        "replicas": desired,
    }
    if blocked:
        details |= {
            "queuePosition": pods.get("queuePosition", 1),
            "schedulingMessage": blocked,
            "schedulingStatus": "InsufficientGPU",
            "waitingFor": f"{service.device}: {service.gpus}",
        }
    elif service.served_outside:
        details |= {
            "schedulingMessage": "LLMKube's agent serves this model outside the cluster",
            "schedulingStatus": "WaitingForMetalAgent",
        }
    degraded = [Condition("Degraded", "True", f.reason or f.type, f.message) for f in failures(deployment)]
    shown = (*degraded, *conditions, _suspended(service), *_spec_notes(service))
    return ServiceStatus(phase, endpoint, ready, desired, shown, details)


def _suspended(service: Context) -> Condition:
    if service.suspended:
        return Condition("Suspended", "True", "Suspended", "the service has no pods while spec.suspend is true")
    return Condition("Suspended", "False", "NotSuspended", "the service is not suspended")


def _phase(
    service: Context, ready: int, desired: int, blocked: bool, position: int
) -> tuple[str, tuple[Condition, ...]]:
    counted = f"({ready}/{desired} replicas ready)"
    if service.suspended:
        return "Suspended", (Condition("Available", "False", "Suspended", "spec.suspend is true"),)
    if desired == 0:
        return "Stopped", (Condition("Available", "False", "ManuallyScaledToZero", "spec.replicas is 0"),)
    if ready >= desired:
        return "Ready", (Condition("Available", "True", "InferenceReady", f"serves requests {counted}"),)
    if blocked:
        wanted = f"{service.gpus} of {service.device}"
        return "WaitingForGPU", (
            Condition("GPUAvailable", "False", "InsufficientGPU", f"no node has {wanted} free"),
            Condition("Progressing", "True", "WaitingForGPU", f"number {position} in the queue for GPUs"),
        )
    creating = Condition("Progressing", "True", "Creating", f"pods are being created {counted}")
    return "Progressing" if ready else "Creating", (creating,)


def observe_prefetch(live: Live) -> ServiceStatus:
    """The status of a Model's prefetch Job."""
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
