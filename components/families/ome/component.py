"""The components of a service: what its manifest and its runtime say together, and which workload each becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...findings import Problem
from ...kubernetes.model import dump
from ...kubernetes.strategic_merge import merge
from ...ome_keys import keys
from . import names
from .runtime_spec import ServingRuntime
from .service_spec import ComponentSpec, EngineSpec, InferenceService, RouterSpec

Workload = Literal["Deployment", "LeaderWorkerSet", "KnativeService", "RayCluster"]

ROLES = ("engine", "decoder", "router")

# What the annotation ome.io/deploymentMode makes of an engine.
_WORKLOADS: Mapping[str, Workload] = {
    "RawDeployment": "Deployment",
    "Serverless": "KnativeService",
    "MultiNode": "LeaderWorkerSet",
    "MultiNodeRayVLLM": "RayCluster",
}
_MAX_REPLICAS = {"router": 2}


@dataclass(frozen=True)
class Component:
    """``spec`` is merged; ``own`` and ``runtime`` are its parts from the manifest and from the runtime."""

    service: str
    role: str
    workload: Workload
    spec: ComponentSpec
    own: ComponentSpec
    runtime: ComponentSpec

    @property
    def name(self) -> str:
        return names.component(self.service, self.role)

    @property
    def engine(self) -> EngineSpec | None:
        """The spec of an engine or decoder, which may span nodes."""
        return self.spec if isinstance(self.spec, EngineSpec) else None

    @property
    def low(self) -> int:
        return 1 if self.spec.minReplicas is None else self.spec.minReplicas

    @property
    def high(self) -> int:
        return self.spec.maxReplicas or _MAX_REPLICAS.get(self.role, 3)

    @property
    def workers(self) -> int:
        """Workers beside each leader."""
        worker = self.engine.worker if self.engine else None
        return (worker.size or 0) if worker else 0


def components(service: InferenceService, runtime: ServingRuntime | None, mode: str) -> tuple[Component, ...]:
    """Engine, decoder and router as far as the service has them.

    ``mode`` is the service's deployment mode where it decides the workload, else empty.
    """
    wanted = {role: getattr(service.spec, role) for role in ROLES}
    if not any(wanted.values()):
        wanted["engine"] = EngineSpec()
    return tuple(_component(service, role, own, runtime, mode) for role, own in wanted.items() if own is not None)


def _component(
    service: InferenceService, role: str, own: ComponentSpec, runtime: ServingRuntime | None, mode: str
) -> Component:
    model = RouterSpec if role == "router" else EngineSpec
    config = getattr(runtime.spec, f"{role}Config") if runtime else None
    base: ComponentSpec = config if config is not None else model()
    spec = model.model_validate(merge(dump(base), dump(own)))
    workload = _workload(role, spec, mode, with_decoder=service.spec.decoder is not None)
    return Component(service.name, role, workload, spec, own, base)


def _workload(role: str, spec: ComponentSpec, mode: str, *, with_decoder: bool) -> Workload:
    several_nodes = isinstance(spec, EngineSpec) and (spec.leader is not None or spec.worker is not None)
    asked = spec.annotations.get(keys.DEPLOYMENT_MODE) if role == "engine" else None
    if isinstance(asked, str) and asked in _WORKLOADS:
        return _WORKLOADS[asked]
    if several_nodes:
        return "LeaderWorkerSet"
    may_sleep = role == "router" or (role == "engine" and not with_decoder)
    if mode == "RawDeployment":
        return "Deployment"
    if role == "engine" and mode == "MultiNodeRayVLLM":
        return "RayCluster"
    if may_sleep and (mode == "Serverless" or spec.minReplicas == 0):
        return "KnativeService"
    return "Deployment"


def mode_problems(service: InferenceService, found: tuple[Component, ...], mode: str) -> Iterator[Problem]:
    """Where the deployment mode and the components contradict each other; the components count."""
    by_role = {component.role: component for component in found}
    engine = by_role.get("engine")
    several_nodes = engine is not None and engine.workload == "LeaderWorkerSet"
    path = f'metadata.annotations["{keys.DEPLOYMENT_MODE}"]'
    if mode in ("RawDeployment", "Serverless", "MultiNodeRayVLLM") and several_nodes:
        yield Problem(path, f"is {mode}, but spec.engine has a leader and workers: they count", "warning", "overridden")
    if mode == "MultiNode" and not several_nodes:
        yield Problem(path, "is MultiNode: add spec.engine.leader and spec.engine.worker", "error", "overridden")
    if mode == "PDDisaggregated" and "decoder" not in by_role:
        yield Problem(path, "is PDDisaggregated: add spec.decoder", "error", "overridden")
    if mode == "Serverless" and "decoder" in by_role:
        message = "is Serverless, but a service with a decoder can't scale to zero: Deployments are made"
        yield Problem(path, message, "warning", "overridden")


def runner_problems(found: tuple[Component, ...]) -> Iterator[Problem]:
    """A component whose main container has no image."""
    for component in found:
        for path, runner in _runners(component):
            if runner is None or not runner.image:
                message = "has no image: name a runtime that sets it, or write it here"
                yield Problem(f"spec.{component.role}{path}.runner", message, code="required")


def _runners(component: Component) -> Iterator[tuple[str, Any]]:
    engine = component.engine
    if component.workload == "LeaderWorkerSet" and engine:
        leader = engine.leader.runner if engine.leader else engine.runner
        worker = engine.worker.runner if engine.worker else engine.runner
        yield ".leader", leader or engine.runner
        yield ".worker", worker or engine.runner
    else:
        yield "", component.spec.runner
