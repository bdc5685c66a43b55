"""The field ``predictor``, which OME replaced by model, runtime and engine: it is read as these.

Decisions: M15 (docs/decisions).
"""

from typing import Any

from ....kubernetes.model import dump
from ....kubernetes.pod import Container
from ....kubernetes.scalars import PassedText, Text
from ....kubernetes.strategic_merge import merge
from .component_spec import ComponentSpec, EngineSpec, WorkerSpec

_MAIN = "ome-container"


class PredictorModel(Container):
    """The model, with the fields of the container that serves it."""

    name: Text | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """Name of the container."""
    baseModel: Text | None = None
    """Name of the model."""
    fineTunedWeights: list[Text] = []
    """Fine-tuned weights on top of the model."""
    runtime: Text | None = None
    """Name of the runtime; without one a fitting runtime is chosen."""
    storageUri: PassedText | None = None
    """Handed to the server as the variable STORAGE_URI."""
    protocolVersion: Text | None = None
    """Handed to the server as the variable PROTOCOL_VERSION."""
    runtimeVersion: Text | None = None
    """Version of the runtime's image; has no effect, as in OME."""


class PredictorSpec(ComponentSpec):
    model: PredictorModel | None = None
    """The model and its runtime."""
    workerSpec: WorkerSpec | None = None
    """Workers, when the model spans several nodes."""


def engine_of(predictor: PredictorSpec) -> EngineSpec:
    """The engine that a predictor stands for, as OME's controller migrates it."""
    fields = {field: value for field, value in dump(predictor).items() if field not in ("model", "workerSpec")}
    containers: list[dict[str, Any]] = fields.pop("containers", [])
    main = next((item for item in containers if "ome" in item["name"].lower()), containers[0] if containers else {})
    runner = merge(_container(predictor.model), main)
    if predictor.workerSpec is not None:
        fields |= {"worker": dump(predictor.workerSpec), "leader": {}}
    others = [item for item in containers if item is not main]
    engine = {**fields, **({"containers": others} if others else {})}
    return EngineSpec.model_validate({**engine, **({"runner": {"name": _MAIN, **runner}} if runner else {})})


def _container(model: PredictorModel | None) -> dict[str, Any]:
    """The container that the fields of a predictor's model describe."""
    if model is None:
        return {}
    fields = {field: value for field, value in dump(model).items() if field in Container.model_fields}
    handed = {"STORAGE_URI": model.storageUri, "PROTOCOL_VERSION": model.protocolVersion}
    variables = [{"name": name, "value": value} for name, value in handed.items() if value is not None]
    return {**fields, **({"env": [*fields.get("env", []), *variables]} if variables else {})}
