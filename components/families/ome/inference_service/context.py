"""Everything that is known about an InferenceService before it is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....engines.engine import Engine
from ....engines.generic import GENERIC
from ....engines.vllm import VLLM
from ....ome_keys import keys
from ....ome_keys.effective import effective_keys
from .. import names
from ..base_model import BaseModel
from ..inherited_keys import keys_for_pods, model_labels
from ..serving_runtime import ServingRuntime
from ..settings import OMESettings
from .component import Component, components, engine_of, serving_runner
from .labels import Identity, component_annotations
from .scaling import Scaling
from .service import serving_port
from .spec import InferenceService


@dataclass(frozen=True)
class Context:
    """A service with everything that is known about it before rendering."""

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
        annotations = component_annotations(self.identity, component)
        return Scaling(component, self.service, annotations, self.identity.effective, self.mode, self.engine or VLLM)

    @property
    def engine(self) -> Engine | None:
        """What serves the model, if its image or command says so."""
        served = (self.components[role] for role in ("engine", "decoder") if role in self.components)
        return next((engine for one in served if (engine := engine_of(serving_runner(one))) is not GENERIC), None)


def context_of(
    service: InferenceService, model: BaseModel | None, runtime: ServingRuntime | None, settings: OMESettings
) -> Context:
    """What holds for a service: its fields filled in by its keys, its components merged with the runtime's."""
    metadata = service.metadata
    of_service = effective_keys(metadata.labels, metadata.annotations, settings)
    effective = {**keys_for_pods(runtime, settings), **keys_for_pods(model, settings), **of_service}
    asked = str(metadata.annotations.get(keys.DEPLOYMENT_MODE, ""))
    annotations = _with_mode(service, settings)
    name = runtime.name if runtime else ""
    version = settings.version if settings.standardLabels else ""
    identity = Identity(service, annotations, model, name, effective, version, model_labels(model, settings))
    mode = asked if effective else ""
    made = components(service, runtime, mode, model)
    return Context(identity, {component.role: component for component in made}, settings, mode)


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


def endpoint(context: Context) -> str:
    """Where the service answers inside the cluster."""
    entry, namespace = context.entry, context.service.namespace
    name = names.shortened(entry.name)
    port = "" if entry.workload == "KnativeService" else f":{serving_port(entry)}"
    return f"http://{name}.{namespace}.svc.cluster.local{port}"
