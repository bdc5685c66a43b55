"""All objects of an endpoint picker."""

from collections.abc import Iterator, Mapping
from functools import partial

from ..metadata import metadata
from ..objects import Object
from ..propagation import Propagation, propagate
from ..rendered import RenderedComponent, RenderedObject
from .cluster_role import cluster_role, cluster_role_binding
from .config_map import config_hash, config_map
from .deployment import deployment
from .destination_rule import destination_rule
from .labels import picker_layers, picker_pod_layers
from .role import role, role_binding
from .service import service
from .service_account import service_account
from .service_monitor import service_monitor
from .spec import EndpointPickerSpec
from .status import observe_picker
from .token_secret import has_token, token_secret
from .validation import Paths, problems

COMPONENT = "EPPComponent"


def render_endpoint_picker(spec: EndpointPickerSpec, paths: Paths = Paths()) -> RenderedComponent:
    """``paths`` locates problems in the user's document, if that is not the spec itself."""
    layers = picker_layers(spec.name, spec.version, spec.labels)
    labels, selector = propagate(layers, "objects"), propagate(layers, "selector")
    pods = picker_pod_layers(spec.name, selector, labels, source="metadata.labels of the Deployment")
    propagation = Propagation((*layers, *pods), (), "objects", {"spec.template": "pods"})
    objects = _objects(spec, labels, selector)
    return RenderedComponent(
        component=COMPONENT,
        kind="EndpointPicker",
        namespace=spec.namespace,
        name=spec.name,
        records=tuple(RenderedObject(role, obj, layers=propagation) for role, obj in objects),
        observe=partial(observe_picker, spec.replicas),
        problems=tuple(problems(spec, paths)),
    )


def _objects(
    spec: EndpointPickerSpec, labels: Mapping[str, str], selector: Mapping[str, str]
) -> Iterator[tuple[str, Object]]:
    yield "service-account", service_account(spec, labels)
    yield "role", role(spec, labels)
    yield "role-binding", role_binding(spec, labels)
    if spec.metricsReader and spec.metricsEndpointAuth:
        yield "cluster-role", cluster_role(spec, labels)
        yield "cluster-role-binding", cluster_role_binding(spec, labels)
    if has_token(spec):
        yield "token-secret", token_secret(spec, labels)
    config = config_map(spec, labels)
    yield "config-map", config
    yield "deployment", deployment(spec, labels, selector, config_hash(config["data"]))
    yield "service", service(spec, labels, selector)
    if spec.provider == "istio":
        yield "destination-rule", destination_rule(metadata(spec.name, spec.namespace, labels))
    if spec.monitoring:
        yield "service-monitor", service_monitor(spec, labels, selector)
