"""From a ModelService to its objects: two serving roles, pool, route, monitors, and the endpoint picker as a part.

Decisions: O4 (docs/decisions).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...engines.companions import config_version
from ...findings import Problem
from ...kubernetes.endpoint_picker.render import render_endpoint_picker
from ...kubernetes.endpoint_picker.service import reference
from ...kubernetes.endpoint_picker.spec import EndpointPickerSpec
from ...kubernetes.endpoint_picker.validation import Paths
from ...kubernetes.model import Manifest
from ...kubernetes.objects import Object
from ...kubernetes.propagation import Propagation, propagate
from ...kubernetes.quantities import amount
from ...kubernetes.rendered import RenderedComponent, RenderedObject
from ...kubernetes.source import Source
from .. import Plan
from .command_lines import command_line_problems, picker_problems, server_problems
from .deployment import Role, RoleLabels, has_shm, serving_deployment
from .http_route import default_parent, explicit_parent, http_route
from .inference_pool import inference_pool
from .labels import COMPONENTS, DECODE, PREFILL, pool_layers, role_layers
from .names import picker_name, pool_name, role_name
from .pod_monitor import pod_monitor
from .settings import OtterScaleSettings
from .spec import API_VERSION, ModelService, ModelServiceSpec, PickerSpec, RoleSpec
from .status import PICKER, Watched, observe
from .validation import problems

COMPONENT = "PrefillDecodeComponent"

KINDS: Mapping[tuple[str, str], type[Manifest]] = {(API_VERSION, "ModelService"): ModelService}

_PICKER = "spec.inferencePool.endpointPicker"
_PICKER_PATHS = Paths(
    name="metadata.name",
    namespace=None,
    pool=None,
    image=f"{_PICKER}.image",
    port=f"{_PICKER}.port",
    resources=f"{_PICKER}.resources",
    version="settings.otterscale.version",
)


def render(sources: Sequence[Source], settings: OtterScaleSettings) -> Plan:
    services = [(source, manifest) for source in sources if isinstance(manifest := source.manifest, ModelService)]
    return Plan(services=[render_model_service(service, settings).of(source) for source, service in services])


def render_model_service(service: ModelService, settings: OtterScaleSettings) -> RenderedComponent:
    spec = with_default_images(service.spec, settings)
    picker = picker_spec(service, spec, settings)
    part = render_endpoint_picker(picker, _PICKER_PATHS._replace(plugins=plugins_setting(spec, settings)))
    records = tuple(_records(service, spec, picker, settings))
    objects = {record.role: record.body for record in records}
    return RenderedComponent(
        component=COMPONENT,
        kind=service.kind,
        namespace=service.namespace,
        name=service.name,
        records=records,
        parts={"epp": part},
        observe=partial(observe, _watched(spec, picker), _endpoint(spec)),
        problems=(
            *problems(service),
            *part.problems,
            *_image_problems(spec),
            *command_line_problems(spec),
            *_server_problems(service, spec, objects),
            *_config_problems(picker),
            *picker_problems(picker, plugins_setting(spec, settings)),
            *_shm_problems(spec, settings),
        ),
    )


def with_default_images(spec: ModelServiceSpec, settings: OtterScaleSettings) -> ModelServiceSpec:
    """The spec with the default image wherever it names none."""
    defaults = settings.defaultImages
    engine = spec.engine.model_copy(update={"image": spec.engine.image or defaults.engine})
    changes: dict[str, Any] = {"engine": engine}
    if spec.routingProxy:
        image = spec.routingProxy.image or defaults.routingProxy
        changes["routingProxy"] = spec.routingProxy.model_copy(update={"image": image})
    if spec.inferencePool:
        picker = spec.inferencePool.endpointPicker
        picker = picker.model_copy(update={"image": picker.image or defaults.epp})
        changes["inferencePool"] = spec.inferencePool.model_copy(update={"endpointPicker": picker})
    return spec.model_copy(update=changes)


def serving_roles(spec: ModelServiceSpec) -> dict[str, RoleSpec]:
    """The serving roles that the service has, by name, decode first."""
    roles = {DECODE: spec.decode, PREFILL: spec.prefill}
    return {name: role for name, role in roles.items() if role is not None}


def picker_spec(service: ModelService, spec: ModelServiceSpec, settings: OtterScaleSettings) -> EndpointPickerSpec:
    """The service's endpoint picker. Without an inferencePool it has no access to metrics, and fails closed."""
    explicit = spec.inferencePool.endpointPicker if spec.inferencePool else None
    picker = explicit or PickerSpec(image=settings.defaultImages.epp, failureMode="FailClose")
    shared = settings.epp
    return EndpointPickerSpec(
        name=picker_name(service.name),
        namespace=service.namespace,
        poolName=pool_name(service.name),
        image=picker.image,
        replicas=picker.replicas,
        port=picker.port,
        failureMode=picker.failureMode,
        resources=picker.resources,
        imagePullSecrets=service.spec.model.imagePullSecrets,
        provider=shared.provider,
        metricsEndpointAuth=shared.metricsEndpointAuth,
        metricsReader=explicit is not None,
        flags=shared.flags,
        tracing=shared.tracing,
        prefill=spec.prefill is not None,
        pluginsConfig=getattr(shared, plugins_setting(spec, settings).rpartition(".")[2]),
        configApiVersion=shared.configApiVersion,
        monitoring=explicit is not None and spec.monitoring.podMonitor.enabled,
        version=settings.version,
    )


def plugins_setting(spec: ModelServiceSpec, settings: OtterScaleSettings) -> str:
    """The setting with the plugins of the service's picker."""
    has_own = spec.prefill and settings.epp.prefillDecodePluginsConfig
    return f"settings.otterscale.epp.{'prefillDecodePluginsConfig' if has_own else 'pluginsConfig'}"


def _records(
    service: ModelService, spec: ModelServiceSpec, picker: EndpointPickerSpec, settings: OtterScaleSettings
) -> Iterator[RenderedObject]:
    name, namespace = service.name, service.namespace
    for role, role_spec in serving_roles(spec).items():
        yield from _role_records(service, spec, Role(role, role_name(name, role), role_spec), settings)
    layers = pool_layers(name, settings.version)
    labels, selector = propagate(layers, "pool"), propagate(layers, "pool-selector")
    shown = Propagation(tuple(layers), (), "pool")
    pool = inference_pool(name, namespace, labels, selector, spec.engine.port, reference(picker))
    yield RenderedObject("pool", pool, layers=shown)
    parent = _parent(spec, namespace, settings)
    if parent:
        hostnames = spec.httpRoute.hostnames if spec.httpRoute else []
        route = http_route(name, namespace, labels, pool_name(name), parent, hostnames, settings.routeTimeout)
        yield RenderedObject("route", route, field="spec.httpRoute", layers=shown)


def _role_records(
    service: ModelService, spec: ModelServiceSpec, role: Role, settings: OtterScaleSettings
) -> Iterator[RenderedObject]:
    layers = role_layers(service.name, COMPONENTS[role.name], role.name, settings.version, service.metadata.labels)
    labels = RoleLabels(*(propagate(layers, target) for target in ("deployment", "pods", "selector")))
    shown = Propagation(tuple(layers), (), "deployment", {"spec.template": "pods"})
    deployment = serving_deployment(spec, role, service.namespace, labels, settings)
    yield RenderedObject(f"{role.name}-deployment", deployment, layers=shown)
    monitor = spec.monitoring.podMonitor
    if monitor.enabled:
        monitor_labels = propagate(layers, "monitor")
        body = pod_monitor(role.deployment, service.namespace, monitor_labels, labels.selector, monitor)
        yield RenderedObject(f"{role.name}-pod-monitor", body, layers=Propagation(tuple(layers), (), "monitor"))


def _image_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    """Containers that have no image even with the defaults. The endpoint picker's image is checked with the picker."""
    for part, container in (("engine", spec.engine), ("routingProxy", spec.routingProxy)):
        if container and not container.image:
            message = f"is required; name one here or in settings.otterscale.defaultImages.{part}"
            yield Problem(f"spec.{part}.image", message, code="required")


def _server_problems(service: ModelService, spec: ModelServiceSpec, objects: Mapping[str, Object]) -> Iterator[Problem]:
    """Problems of the servers of both roles; problems of the engine that they share are reported once."""
    distinct = {
        (problem.path, problem.message): problem
        for name, role in serving_roles(spec).items()
        for problem in server_problems(
            spec, Role(name, role_name(service.name, name), role), objects[f"{name}-deployment"]
        )
    }
    yield from distinct.values()


def _config_problems(picker: EndpointPickerSpec) -> Iterator[Problem]:
    wanted = config_version(picker.image)
    if wanted and wanted != picker.configApiVersion:
        setting = "settings.otterscale.epp.configApiVersion"
        message = (
            f"{picker.image} reads {wanted}, but {setting} is {picker.configApiVersion}, so the picker exits at "
            "start; set both for one release, with that release's plugin names in "
            "settings.otterscale.epp.pluginsConfig"
        )
        yield Problem(f"{_PICKER}.image", message, "warning", "not-in-release")


def _parent(spec: ModelServiceSpec, namespace: str, settings: OtterScaleSettings) -> Mapping[str, Any] | None:
    if spec.httpRoute:
        return explicit_parent(spec.httpRoute, namespace)
    gateway = settings.epp.defaultGatewayName
    return default_parent(gateway) if gateway else None


def _watched(spec: ModelServiceSpec, picker: EndpointPickerSpec) -> tuple[Watched, ...]:
    serving = [Watched(name, f"{name}-deployment", role.replicas) for name, role in serving_roles(spec).items()]
    return (*serving, Watched(PICKER, "epp/deployment", picker.replicas))


def _endpoint(spec: ModelServiceSpec) -> str:
    """The URL of the first host name. Without host names, clients use any address of the gateway and the header."""
    names = [name for name in (spec.httpRoute.hostnames if spec.httpRoute else []) if isinstance(name, str)]
    return f"http://{names[0]}" if names else ""


def _shm_problems(spec: ModelServiceSpec, settings: OtterScaleSettings) -> Iterator[Problem]:
    size = settings.shmSizeLimit
    for name, role in serving_roles(spec).items():
        limit = role.resources.limits.get("memory")
        if not (isinstance(size, str) and isinstance(limit, str) and has_shm(role, spec.model, settings)):
            continue
        if amount(size) > amount(limit):
            message = f"must be at least settings.otterscale.shmSizeLimit, {size}, got {limit}"
            yield Problem(f"spec.{name}.resources.limits.memory", message, code="bad-value")
