"""An InferenceService with its model, runtime and settings, resolved before it is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....engines.engine import Engine
from ....engines.generic import GENERIC
from ....kubernetes.objects import Key
from ....ome_keys import keys
from ....ome_keys.vocabulary import effective_keys
from ..base_model import BaseModel
from ..metadata import keys_for_pods, model_labels
from ..serving_runtime import ServingRuntime
from ..settings import OMESettings
from .component import Component, components, engine_of, serving_runner
from .spec import InferenceService


@dataclass(frozen=True)
class Context:
    """``annotations`` have the deployment mode; ``effective`` are the documented keys in effect, ``mode`` is the one
    that these ask for; ``model_labels`` are documented labels of the model's manifest. ``builds_on`` are the
    manifests of its model, of its runtime and of those that this inherits from."""

    service: InferenceService
    model: BaseModel | None
    runtime: str
    settings: OMESettings
    annotations: Mapping[str, Any]
    effective: Mapping[str, Any]
    model_labels: Mapping[str, Any]
    mode: str
    components: Mapping[str, Component]
    builds_on: tuple[Key, ...] = ()

    @property
    def model_name(self) -> str:
        return self.service.spec.model.name if self.service.spec.model else ""

    @property
    def entry(self) -> Component:
        """The component that receives requests first."""
        return next(self.components[role] for role in ("router", "engine", "decoder") if role in self.components)

    @property
    def engine(self) -> Engine | None:
        """The engine that serves the model, if its image or command identifies it."""
        served = (self.components[role] for role in ("engine", "decoder") if role in self.components)
        return next((engine for one in served if (engine := engine_of(serving_runner(one))) is not GENERIC), None)


def context_of(
    service: InferenceService, model: BaseModel | None, runtime: ServingRuntime | None, settings: OMESettings
) -> Context:
    """Resolve a service: its effective keys, and its components merged with the runtime's."""
    metadata = service.metadata
    of_service = effective_keys(metadata.labels, metadata.annotations, settings)
    effective = {**keys_for_pods(runtime, settings), **keys_for_pods(model, settings), **of_service}
    mode = str(metadata.annotations.get(keys.DEPLOYMENT_MODE, "")) if effective else ""
    return Context(
        service=service,
        model=model,
        runtime=runtime.name if runtime else "",
        settings=settings,
        annotations=_with_mode(service, settings),
        effective=effective,
        model_labels=model_labels(model, settings),
        mode=mode,
        components={component.role: component for component in components(service, runtime, mode, model)},
    )


def _with_mode(service: InferenceService, settings: OMESettings) -> dict[str, Any]:
    """The annotations, with the deployment mode that OME adds if it is missing."""
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
