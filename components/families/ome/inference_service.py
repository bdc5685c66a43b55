"""An InferenceService as the objects that serve it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...engines.engine import Engine
from ...engines.generic import GENERIC
from ...engines.vllm import VLLM
from ...findings import Problem
from ...kubernetes.model import read
from ...kubernetes.objects import Object, Rendered
from ...kubernetes.pod import Container, PodSpec
from ...kubernetes.pod_checks import pod_problems
from ...kubernetes.secrets import argument_secrets, env_secrets
from ...ome_keys import keys
from ...ome_keys.effective import effective_keys
from ...ome_keys.network_policy import INFERENCE_ONLY, metrics_port, network_policy, security_problems
from ...ome_keys.persistent_volume_claim import claim, storage_problems
from ...ome_keys.pod_monitor import pod_monitor
from ...ome_keys.pod_template import change_template, contradictions
from . import ingress, names
from .autoscaler import autoscaler
from .component import Component, components, mode_problems, runner_problems
from .config_map import model_config
from .disruption_budget import disruption_budget
from .documented import filled, overridden
from .facts import model_labels, told
from .injection import injection_problems
from .metadata import SERVICE_LABEL, Identity, component_annotations, propagations
from .model_spec import BaseModel
from .pod import engine_of, pod_template, serving_runner
from .prober import prober
from .runtime_spec import ServingRuntime
from .scaling import Scaling, idle_keys, scaling_problems
from .service_spec import InferenceService
from .services import component_service, external_service, serving_port
from .settings import OMESettings
from .status import Watched, observe
from .workloads import deployment, knative_service, leader_worker_set, ray_cluster

COMPONENT = "OMEInferenceServiceComponent"
VIRTUAL = "VirtualDeployment"


@dataclass(frozen=True)
class Parts:
    """A service with everything that was found out about it before rendering."""

    identity: Identity
    components: Mapping[str, Component]
    settings: OMESettings
    mode: str

    @property
    def service(self) -> InferenceService:
        return self.identity.service

    @property
    def entry(self) -> Component:
        """What requests reach first."""
        return next(self.components[role] for role in ("router", "engine", "decoder") if role in self.components)

    def scaling(self, component: Component) -> Scaling:
        found = component_annotations(self.identity, component)
        return Scaling(component, self.service, found, self.identity.effective, self.mode, self.engine or VLLM)

    @property
    def engine(self) -> Engine | None:
        """What serves the model, if its image or command says so."""
        found = (self.components[role] for role in ("engine", "decoder") if role in self.components)
        return next((engine for one in found if (engine := engine_of(serving_runner(one))) is not GENERIC), None)

    def claim_name(self) -> str:
        return f"{self.service.name}-storage"


def prepared(
    service: InferenceService, model: BaseModel | None, runtime: ServingRuntime | None, settings: OMESettings
) -> Parts:
    """What holds for a service: its fields filled in by its keys, its components merged with the runtime's."""
    metadata = service.metadata
    own = effective_keys(metadata.labels, metadata.annotations, settings)
    effective = {**told(runtime, settings), **told(model, settings), **own}
    asked = str(metadata.annotations.get(keys.DEPLOYMENT_MODE, ""))
    annotations = _with_mode(service, settings)
    name = runtime.name if runtime else ""
    version = settings.version if settings.standardLabels else ""
    identity = Identity(service, annotations, model, name, effective, version, model_labels(model, settings))
    mode = asked if effective else ""
    found = components(service, runtime, mode)
    return Parts(identity, {component.role: component for component in found}, settings, mode)


def with_keys(service: InferenceService, settings: OMESettings) -> InferenceService:
    """The service as its documented keys complete it."""
    return filled(service, effective_keys(service.metadata.labels, service.metadata.annotations, settings))


def _with_mode(service: InferenceService, settings: OMESettings) -> dict[str, Any]:
    """The annotations with the deployment mode, which OME writes where it is missing."""
    annotations = dict(service.metadata.annotations)
    if keys.DEPLOYMENT_MODE in annotations:
        return annotations
    engine, decoder = service.spec.engine, service.spec.decoder
    several_nodes = engine and engine.leader and engine.worker and (engine.worker.size or 0) > 0
    default = settings.deploy.defaultDeploymentMode
    mode = "PDDisaggregated" if engine and decoder else "MultiNode" if several_nodes else default
    if mode in ("PDDisaggregated", "MultiNode") or default == "RawDeployment":
        annotations[keys.DEPLOYMENT_MODE] = mode
    return annotations


def rendered(parts: Parts) -> Rendered:
    """All objects of a service, by role."""
    service = parts.service
    if service.metadata.annotations.get(keys.DEPLOYMENT_MODE) == VIRTUAL:
        return _rendered(parts, {}, ())
    objects: dict[str, Object] = {}
    for component in parts.components.values():
        objects |= {f"{component.role}-{role}": obj for role, obj in _of_component(parts, component)}
    objects |= dict(_of_service(parts))
    return _rendered(parts, objects, tuple(problems(parts)))


def _rendered(parts: Parts, objects: dict[str, Object], found: tuple[Problem, ...]) -> Rendered:
    service = parts.service
    watched = tuple(_watched(parts, objects))
    layers = [propagations(parts.identity, component) for component in parts.components.values()]
    return Rendered(
        component=COMPONENT,
        kind=service.kind,
        namespace=service.namespace,
        name=service.name,
        objects=objects,
        observe=partial(observe, watched, endpoint(parts)),
        problems=found,
        layers={role: each for found_of in layers for role, each in found_of.items() if role in objects},
    )


def _template(parts: Parts, component: Component) -> Callable[[str], dict[str, Any]]:
    """Gives a component's pod templates, with what the documented keys make of them."""

    def of(part: Any) -> dict[str, Any]:
        template = pod_template(parts.identity, component, part, parts.settings)
        if component.role == "router":
            return template
        if claim(parts.claim_name(), parts.service.namespace, {}, parts.identity.effective):
            source = {"name": "storage", "persistentVolumeClaim": {"claimName": parts.claim_name()}}
            volumes = [*template["spec"].get("volumes", []), source]
            template = {**template, "spec": {**template["spec"], "volumes": volumes}}
        return change_template(template, parts.identity.effective, parts.settings)

    return of


def _of_component(parts: Parts, component: Component) -> Iterator[tuple[str, Object]]:
    identity, scaling, template = parts.identity, parts.scaling(component), _template(parts, component)
    if component.workload == "KnativeService":
        yield "knative-service", knative_service(identity, scaling, template)
        return
    if component.workload == "Deployment":
        yield "deployment", deployment(identity, scaling, template)
        yield "disruption-budget", disruption_budget(identity, component)
        scaler = autoscaler(identity, scaling)
        if scaler:
            yield scaler
    elif component.workload == "LeaderWorkerSet":
        yield "leader-worker-set", leader_worker_set(identity, component, template)
    else:
        for index in range(max(1, component.low)):
            yield f"ray-cluster-{index}", ray_cluster(identity, component, index, template)
            if parts.settings.multinodeProber.image:
                yield f"prober-{index}", prober(identity, component, index, parts.settings.multinodeProber)
    yield "service", component_service(identity, component)


def _of_service(parts: Parts) -> Iterator[tuple[str, Object]]:
    identity, effective, service = parts.identity, parts.identity.effective, parts.service
    config = model_config(identity)
    if config:
        yield "model-config", config
    way_in = _entrance(parts)
    if way_in.config.disableIngressCreation and not way_in.internal:
        yield "external-service", external_service(identity, parts.entry)
    made = ingress.entrance(way_in)
    if made:
        yield made
    labels = {SERVICE_LABEL: service.name}
    storage = claim(parts.claim_name(), service.namespace, labels, effective)
    if storage:
        yield "storage", storage
    if effective.get(keys.SECURITY_NETWORK_POLICY) == INFERENCE_ONLY:
        ports = [serving_port(component) for component in parts.components.values()]
        name = names.shortened(f"{service.name}-{INFERENCE_ONLY}")
        ports += metrics_port(effective)
        yield "network-policy", network_policy(name, service.namespace, labels, ports, [labels])
    if parts.settings.podMonitors and effective.get(keys.MONITORING_SCRAPE) == "true":
        port = serving_port(parts.entry)
        yield "pod-monitor", pod_monitor(service.name, service.namespace, labels, effective, port)


def _entrance(parts: Parts) -> ingress.Entrance:
    config = ingress.effective(parts.settings.ingress, parts.service.metadata.annotations)
    return ingress.Entrance(parts.identity, config, parts.components, parts.entry, parts.settings.additionalHosts)


def endpoint(parts: Parts) -> str:
    """Where the service answers inside the cluster."""
    entry, namespace = parts.entry, parts.service.namespace
    name = names.shortened(entry.name)
    port = "" if entry.workload == "KnativeService" else f":{serving_port(entry)}"
    return f"http://{name}.{namespace}.svc.cluster.local{port}"


_COUNTING = frozenset(["Deployment", "LeaderWorkerSet"])
_WATCHED = _COUNTING | {"KnativeService", "RayCluster"}


def _watched(parts: Parts, objects: Mapping[str, Object]) -> Iterator[Watched]:
    for component in parts.components.values():
        for role, obj in objects.items():
            knative = obj["apiVersion"].startswith("serving.knative.dev/")
            kind = f"Knative{obj['kind']}" if knative else obj["kind"]
            if role.startswith(f"{component.role}-") and kind in _WATCHED:
                yield Watched(role, component.role, obj["spec"].get("replicas"), counts=kind in _COUNTING)


def problems(parts: Parts) -> Iterator[Problem]:
    """What is wrong with a service and its objects, beyond what its manifest alone shows."""
    found = tuple(parts.components.values())
    effective = parts.identity.effective
    yield from overridden(parts.service, effective)
    yield from mode_problems(parts.service, found, parts.mode)
    yield from runner_problems(found)
    yield from ingress.ingress_problems(_entrance(parts))
    yield from idle_keys([parts.scaling(component) for component in found])
    for component in found:
        yield from scaling_problems(parts.scaling(component))
        yield from _pod_problems(parts, component)
    pods = max((component.high for component in found if component.role != "router"), default=1)
    yield from storage_problems(effective, pods)


def _pod_problems(parts: Parts, component: Component) -> Iterator[Problem]:
    """The pods of a component: one template stands for all, they differ in little."""
    path = f"spec.{component.role}"
    part: Any = "leader" if component.workload == "LeaderWorkerSet" else "pod"
    template = _template(parts, component)(part)
    if not template["spec"]["containers"][0].get("image"):
        return
    pod, problems = read(PodSpec, template["spec"])
    problems += list(pod_problems(pod, path)) if pod else []
    yield from (replace(problem, path=_public(problem.path, path)) for problem in problems)
    if component.role != "router":
        yield from contradictions(template, parts.identity.effective, parts.settings)
        yield from security_problems(template, parts.identity.effective, path)
    containers = [container["name"] for container in template["spec"]["containers"]]
    for field in ("runner", "leader", "worker"):
        yield from _secret_problems(getattr(component.own, field, None), f"{path}.{field}")
    if component.role == "engine":
        yield from injection_problems(component_annotations(parts.identity, component), containers, parts.settings)


def _secret_problems(own: Any, path: str) -> Iterator[Problem]:
    """Literal secrets in a container of the manifest; a leader or worker has it one level deeper."""
    runner = own if isinstance(own, Container) or own is None else own.runner
    where = path if runner is own else f"{path}.runner"
    if runner is not None:
        yield from env_secrets(runner.env or [], f"{where}.env")
        yield from argument_secrets(runner.args or [], f"{where}.args")


def _public(path: str, component: str) -> str:
    """A path in the pod as the manifest has it: the first container is the runner."""
    return path.replace(f"{component}.containers[0]", f"{component}.runner", 1)
