"""An InferenceService as the objects that serve it."""

from collections.abc import Iterator
from functools import partial

from ....findings import Problem
from ....kubernetes.objects import Object
from ....kubernetes.rendered import RenderedComponent, owned_records, with_layers
from ....ome_keys import keys
from ....ome_keys.network_policy import INFERENCE_ONLY, metrics_port, network_policy
from ....ome_keys.persistent_volume_claim import claim, claim_name
from ....ome_keys.pod_monitor import pod_monitor
from .. import names
from .component import Component
from .config_map import model_config
from .context import Context, endpoint
from .deployment import deployment
from .exposure import Exposure, exposure_of
from .horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .http_route import http_route
from .ingress import ingress
from .knative_service import knative_service
from .labels import SERVICE_LABEL, propagations
from .leader_worker_set import leader_worker_set
from .pod_disruption_budget import disruption_budget
from .pod_template import templates_of
from .prober import prober
from .ray_cluster import ray_cluster
from .role import pod_reader
from .scaled_object import scaled_object
from .service import component_service, external_service, serving_port
from .status import observe, watched_workloads
from .validation import problems
from .virtual_service import virtual_service

COMPONENT = "OMEInferenceServiceComponent"
VIRTUAL = "VirtualDeployment"


def rendered(context: Context) -> RenderedComponent:
    """All objects of a service, by role."""
    service = context.service
    if service.metadata.annotations.get(keys.DEPLOYMENT_MODE) == VIRTUAL:
        return _rendered(context, {}, ())
    objects: dict[str, Object] = {}
    for component in context.components.values():
        objects |= {f"{component.role}-{role}": obj for role, obj in _of_component(context, component)}
    objects |= dict(_of_service(context))
    return _rendered(context, objects, tuple(problems(context)))


def _rendered(context: Context, objects: dict[str, Object], reported: tuple[Problem, ...]) -> RenderedComponent:
    service = context.service
    watched = tuple(watched_workloads(context, objects))
    records = owned_records(objects, replicas=_replicas(context))
    for component in context.components.values():
        records = with_layers(records, propagations(context.identity, component))
    return RenderedComponent(
        component=COMPONENT,
        kind=service.kind,
        namespace=service.namespace,
        name=service.name,
        records=records,
        observe=partial(observe, watched, endpoint(context)),
        problems=reported,
    )


def _replicas(context: Context) -> str:
    """The field that says how many pods there are."""
    engine = context.service.spec.engine
    bounds = [bound for bound in ("maxReplicas", "minReplicas") if getattr(engine, bound, None) is not None]
    return f"spec.engine.{bounds[0]}" if bounds else "metadata.name"


def _of_component(context: Context, component: Component) -> Iterator[tuple[str, Object]]:
    identity, scaling, template = context.identity, context.scaling(component), templates_of(context, component)
    if component.role == "router":
        yield from pod_reader(identity, component)
    if component.workload == "KnativeService":
        yield "knative-service", knative_service(identity, scaling, template)
        return
    if component.workload == "Deployment":
        yield "deployment", deployment(identity, scaling, template)
        yield "disruption-budget", disruption_budget(identity, component)
        if scaling.by == "keda":
            yield "scaled-object", scaled_object(identity, scaling)
        elif scaling.by == "hpa" and not scaling.stays_at_zero:
            yield "autoscaler", horizontal_pod_autoscaler(identity, scaling)
    elif component.workload == "LeaderWorkerSet":
        yield "leader-worker-set", leader_worker_set(identity, component, template)
    else:
        for index in range(max(1, component.low)):
            yield f"ray-cluster-{index}", ray_cluster(identity, component, index, template)
            if context.settings.multinodeProber.image:
                yield f"prober-{index}", prober(identity, component, index, context.settings.multinodeProber)
    yield "service", component_service(identity, component)


def _of_service(context: Context) -> Iterator[tuple[str, Object]]:
    identity, effective, service = context.identity, context.identity.effective, context.service
    config = model_config(identity)
    if config:
        yield "model-config", config
    exposure = exposure_of(context)
    if exposure.config.disableIngressCreation and not exposure.internal:
        yield "external-service", external_service(identity, context.entry)
    made = _exposed(exposure)
    if made:
        yield made
    labels = {SERVICE_LABEL: service.name}
    storage = claim(claim_name(context.service.name), service.namespace, labels, effective)
    if storage:
        yield "storage", storage
    if effective.get(keys.SECURITY_NETWORK_POLICY) == INFERENCE_ONLY:
        ports = [serving_port(component) for component in context.components.values()]
        name = names.shortened(f"{service.name}-{INFERENCE_ONLY}")
        ports += metrics_port(effective)
        yield "network-policy", network_policy(name, service.namespace, labels, ports, [labels])
    if context.settings.podMonitors and effective.get(keys.MONITORING_SCRAPE) == "true":
        port = serving_port(context.entry)
        yield "pod-monitor", pod_monitor(service.name, service.namespace, labels, effective, port)


def _exposed(exposure: Exposure) -> tuple[str, Object] | None:
    """Role and object, or None where the settings want none."""
    if exposure.config.disableIngressCreation:
        return None
    if exposure.entry.workload == "KnativeService":
        return None if exposure.config.disableIstioVirtualHost else ("virtual-service", virtual_service(exposure))
    if exposure.internal:
        return None
    return ("route", http_route(exposure)) if exposure.config.enableGatewayAPI else ("ingress", ingress(exposure))
