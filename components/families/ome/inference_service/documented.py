"""Fields of an InferenceService that its documented keys fill in where the manifest leaves them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....findings import Problem
from ....ome_keys import keys
from .spec import EngineSpec, InferenceService, ModelRef, RuntimeRef

Effective = Mapping[str, Any]

_REPLICAS = {keys.MIN_REPLICAS: "minReplicas", keys.MAX_REPLICAS: "maxReplicas"}


def filled(service: InferenceService, effective: Effective) -> InferenceService:
    """The service with model, runtime and replica bounds from its keys. An explicit field stays as it is."""
    spec, updates = service.spec, {}
    model = effective.get(keys.SERVING_MODEL, effective.get(keys.MODEL_NAME))
    if spec.model is None and isinstance(model, str):
        updates["model"] = ModelRef(name=model)
    runtime = effective.get(keys.SERVING_RUNTIME)
    if spec.runtime is None and isinstance(runtime, str):
        updates["runtime"] = RuntimeRef(name=runtime)
    engine = spec.engine or (EngineSpec() if spec.decoder is None and spec.router is None else None)
    bounds = {field: int(effective[key]) for key, field in _REPLICAS.items() if _is_count(effective.get(key))}
    missing = {field: value for field, value in bounds.items() if engine and getattr(engine, field) is None}
    if engine and missing:
        updates["engine"] = engine.model_copy(update=missing)
    return service.model_copy(update={"spec": spec.model_copy(update=updates)}) if updates else service


def _is_count(value: Any) -> bool:
    return isinstance(value, str) and value.isdecimal()


def overridden(service: InferenceService, effective: Effective) -> Iterator[Problem]:
    """Where a field and a key of the manifest say different things; the field counts."""
    engine = service.spec.engine
    for key, field in _REPLICAS.items():
        value = getattr(engine, field) if engine else None
        if value is not None and _is_count(effective.get(key)) and int(effective[key]) != value:
            message = f"is {value}, but {key} says {effective[key]}: the field counts"
            yield Problem(f"spec.engine.{field}", message, "warning", "overridden")
