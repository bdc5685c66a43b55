"""An InferenceService as the objects that serve it."""

from collections.abc import Iterator
from functools import partial

from ....findings import Problem
from ....kubernetes.objects import Object
from ....kubernetes.rendered import RenderedComponent, owned_records, with_layers
from ....ome_keys import keys
from ....ome_keys.objects import INFERENCE_ONLY, network_policy, persistent_volume_claim, pod_monitor
from .component import Component
from .config_map import model_config
from .context import Context
from .exposure import exposing_object, exposure_of
from .labels import SERVICE_LABEL, propagations
from .pod_template import templates_of
from .role import pod_reader
from .scaling import horizontal_pod_autoscaler, scaled_object, scaling_of
from .service import component_service, endpoint, external_service, serving_port
from .status import observe, watched_workloads
from .validation import problems
from .workloads import deployment, knative_service, leader_worker_set, pod_disruption_budget, prober, ray_cluster

COMPONENT = "OMEInferenceServiceComponent"
VIRTUAL = "VirtualDeployment"


def rendered(context: Context) -> RenderedComponent:
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
        records = with_layers(records, propagations(context, component))
    return RenderedComponent(
        component=COMPONENT,
        kind=service.kind,
        namespace=service.namespace,
        name=service.name,
        records=records,
        observe=partial(observe, watched, endpoint(context)),
        problems=reported,
        builds_on=context.builds_on,
    )


def _replicas(context: Context) -> str:
    """The manifest's field that sets the number of pods."""
    engine = context.service.spec.engine
    bounds = [bound for bound in ("maxReplicas", "minReplicas") if getattr(engine, bound, None) is not None]
    return f"spec.engine.{bounds[0]}" if bounds else "metadata.name"


def _of_component(context: Context, component: Component) -> Iterator[tuple[str, Object]]:
    scaling, template = scaling_of(context, component), templates_of(context, component)
    if component.role == "router":
        yield from pod_reader(context, component)
    if component.workload == "KnativeService":
        yield "knative-service", knative_service(scaling, template)
        return
    if component.workload == "Deployment":
        yield "deployment", deployment(scaling, template)
        yield "disruption-budget", pod_disruption_budget(context, component)
        if scaling.by == "keda":
            yield "scaled-object", scaled_object(scaling)
        elif scaling.by == "hpa" and not scaling.stays_at_zero:
            yield "autoscaler", horizontal_pod_autoscaler(scaling)
    elif component.workload == "LeaderWorkerSet":
        yield "leader-worker-set", leader_worker_set(context, component, template)
    else:
        for index in range(max(1, component.low)):
            yield f"ray-cluster-{index}", ray_cluster(context, component, index, template)
            if context.settings.multinodeProber.image:
                yield f"prober-{index}", prober(context, component, index, context.settings.multinodeProber)
    yield "service", component_service(context, component)


def _of_service(context: Context) -> Iterator[tuple[str, Object]]:
    effective, service = context.effective, context.service
    config = model_config(context)
    if config:
        yield "model-config", config
    exposure = exposure_of(context)
    if exposure.config.disableIngressCreation and not exposure.internal:
        yield "external-service", external_service(context, context.entry)
    made = exposing_object(exposure)
    if made:
        yield made
    labels = {SERVICE_LABEL: service.name}
    yield from persistent_volume_claim(service.name, service.namespace, labels, effective).items()
    if effective.get(keys.SECURITY_NETWORK_POLICY) == INFERENCE_ONLY:
        ports = [serving_port(component) for component in context.components.values()]
        policy = network_policy(service.name, service.namespace, labels, ports, [labels], effective)
        yield "network-policy", policy
    if context.settings.podMonitors and effective.get(keys.MONITORING_SCRAPE) == "true":
        port = serving_port(context.entry)
        yield "pod-monitor", pod_monitor(service.name, service.namespace, labels, effective, port)
