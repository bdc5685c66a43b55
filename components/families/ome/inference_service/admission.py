"""Checks across objects that OME's admission webhook makes, and checks of KEDA settings.

Mirrors sgl-project/ome pkg/webhook/admission/isvc/inference_service_defaults.go at v0.1.5.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....findings import Problem
from ....kubernetes.scalars import describe
from ....ome_keys import keys
from ....ome_keys.values import wrong
from ..base_model import BaseModel
from ..context import Catalog, Place
from ..runtime_selection import reasons
from ..serving_runtime import INHERIT_FROM, ServingRuntime
from .component import main_container
from .component_spec import ComponentSpec, KedaConfig
from .scaling import CLASS
from .spec import InferenceService

_AUTH_MODES = frozenset(["basic", "tls", "bearer", "custom"])
_KEDA_RULES = {
    "promServerAddress": {"type": "uri", "schemes": ["http", "https"]},
    "scalingOperator": {
        "type": "enum",
        "values": ["GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual"],
    },
    "scalingThreshold": {"type": "number"},
}


@dataclass(frozen=True)
class Admitted:
    """A service's model and runtime, and the problems found."""

    model: BaseModel | None
    runtime: ServingRuntime | None
    problems: tuple[Problem, ...]


def admitted(service: InferenceService, catalog: Catalog, effective: Mapping[str, Any]) -> Admitted:
    """Find a service's model and runtime. ``effective`` are its documented keys in effect."""
    model = catalog.model(service.spec.model, service.namespace)
    problems = [*_model_problems(service, catalog, model)]
    runtime, more = _runtime(service, catalog, model)
    problems += more
    if service.metadata.annotations.get(CLASS) == "keda" or effective.get(keys.AUTOSCALING_ENABLE_KEDA) == "true":
        problems += list(_keda_problems(service))
    return Admitted(model, runtime, tuple(problems))


def _model_problems(service: InferenceService, catalog: Catalog, model: BaseModel | None) -> Iterator[Problem]:
    reference = service.spec.model
    if model is not None and model.spec.disabled:
        yield Problem("spec.model.name", f"the model {model.name} is disabled", code="disabled-model")
    if reference is None or model is not None:
        return
    path, name = "spec.model.name", reference.name
    if reference.kind == "FineTunedWeight":
        message = "fine-tuned weights are not covered here; refer to their base model"
        yield Problem("spec.model.kind", message, "warning", "unknown-model")
    elif catalog.models:
        known = _known(catalog.models, service.namespace)
        message = f"no manifest has a {reference.kind or 'model'} {name}; known are {known}"
        yield Problem(path, message, code="unknown-model", missing=name)
    else:
        message = f"no manifest has the model {name}, so its files are not mounted; add its BaseModel"
        yield Problem(path, message, "warning", "unknown-model", missing=name)


def _known(places: Iterable[Place], namespace: str) -> str:
    """The names, with where they are, as the kind of a reference may be wrong."""
    where = {"": " (cluster-wide)", namespace: ""}
    return ", ".join(sorted(f"{name}{where.get(place, f' of namespace {place}')}" for place, name in places)) or "none"


def _runtime(
    service: InferenceService, catalog: Catalog, model: BaseModel | None
) -> tuple[ServingRuntime | None, list[Problem]]:
    reference = service.spec.runtime
    if reference is not None:
        return _named_runtime(service, catalog, model)
    accelerators = accelerators_of(service)
    chosen = catalog.choose(model, service.namespace, accelerators) if model else None
    if chosen is not None or _is_complete(service.spec.engine):
        return chosen, []
    if service.spec.model is None:
        message = "is required; name a model (or a runtime), or give spec.engine.runner a name and an image"
        return None, [Problem("spec.model", message, code="required")]
    if model is None and catalog.models:
        return None, []  # the unknown model is reported already
    if model is None:
        message = "is required, because no runtime can be chosen without the model's manifest"
        return None, [Problem("spec.runtime", message, code="required", missing=service.spec.model.name)]
    why = catalog.why_none(model, service.namespace, accelerators)
    message = f"no runtime supports the model {model.name} ({why}): name one, or give spec.engine.runner an image"
    return None, [Problem("spec.runtime", message, code="no-runtime", missing="a ServingRuntime")]


def _named_runtime(
    service: InferenceService, catalog: Catalog, model: BaseModel | None
) -> tuple[ServingRuntime | None, list[Problem]]:
    reference = service.spec.runtime
    runtime = catalog.runtime(reference, service.namespace) if reference else None
    path = "spec.runtime.name"
    if reference and runtime is None:
        known = _known(catalog.runtimes, service.namespace)
        message = f"no manifest has a {reference.kind or 'runtime'} {reference.name}; known are {known}"
        mild = not catalog.runtimes and _is_complete(service.spec.engine)
        problem = Problem(path, message, "warning" if mild else "error", "unknown-runtime", missing=reference.name)
        return None, [problem]
    if runtime and runtime.spec.disabled:
        inherits = INHERIT_FROM in runtime.metadata.annotations
        heir = ", by itself or by a runtime that it inherits from; set disabled: false in it" if inherits else ""
        return runtime, [Problem(path, f"the runtime {runtime.name} is disabled{heir}", code="disabled-runtime")]
    why = reasons(runtime, model, accelerators_of(service), named=True) if runtime and model else ""
    if runtime and model and why and runtime.spec.supportedModelFormats:
        message = f"the runtime {runtime.name} does not list the model {model.name}, so OME would refuse it: {why}"
        return runtime, [Problem(path, message, "warning", "runtime-mismatch")]
    return runtime, []


def accelerators_of(service: InferenceService) -> list[str]:
    spec = service.spec
    selectors = [spec.acceleratorSelector, *(one.acceleratorOverride for one in (spec.engine, spec.decoder) if one)]
    classes = [service.metadata.annotations.get("ome.io/accelerator-class")]
    classes += [selector.get("acceleratorClass") for selector in selectors if isinstance(selector, Mapping)]
    return [str(name) for name in classes if name]


def _is_complete(engine: ComponentSpec | None) -> bool:
    """Whether an engine needs no runtime because its main container has an image."""
    leader = getattr(engine, "leader", None)
    mains = [main_container(spec) for spec in (engine, leader) if spec is not None]
    return any(main is not None and bool(main.image) for main in mains)


def _keda_problems(service: InferenceService) -> Iterator[Problem]:
    roles = {f"spec.{role}": getattr(service.spec, role) for role in ("engine", "decoder", "router")}
    for path, holder in {"spec": service.spec, **roles}.items():
        if holder is not None and holder.kedaConfig is not None:
            yield from _config_problems(holder.kedaConfig, f"{path}.kedaConfig")


def _config_problems(config: KedaConfig, path: str) -> Iterator[Problem]:
    for field, rule in _KEDA_RULES.items():
        value = getattr(config, field)
        reason = wrong(value, rule) if value else ""
        if reason:
            yield Problem(f"{path}.{field}", f"{reason}, got {describe(value)}", code="bad-value")
    modes = [mode.strip() for mode in (config.authModes or "").split(",") if mode.strip()]
    if not _AUTH_MODES.issuperset(modes):
        message = f"must be of {', '.join(sorted(_AUTH_MODES))}, got {describe(config.authModes)}"
        yield Problem(f"{path}.authModes", message, code="bad-value")
    if modes and config.authenticationRef is None:
        message = "has no effect without authenticationRef; add it"
        yield Problem(f"{path}.authModes", message, "warning", "no-authentication")
