"""Fills in fields of a document from its keys."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..kubernetes.scalars import Opaque
from ..kubernetes.values import mapping, value_at
from . import keys
from .names import claim
from .presence import is_ome_key
from .replicas import REPLICAS, with_replicas
from .settings import KeySettings
from .values import seconds
from .vocabulary import effective_keys

Document = Mapping[str, Any]
Effective = Mapping[str, Any]

_BOUNDS = {keys.MIN_REPLICAS: "minReplicas", keys.MAX_REPLICAS: "maxReplicas"}


def complete_document(data: Document, settings: KeySettings) -> Document:
    """A document with omitted fields filled in from its keys. Its family reports what is wrong with it."""
    kind = str(data.get("apiVersion")).partition("/")[0], str(data.get("kind"))
    spec = data.get("spec")
    if (kind not in _COMPLETED and kind not in REPLICAS) or not (spec is None or isinstance(spec, Mapping)):
        return data
    effective = _effective(mapping(data.get("metadata")), settings)
    if not effective:
        return data
    return _COMPLETED[kind](data, effective) if kind in _COMPLETED else with_replicas(data, effective)


def _inference_service(data: Document, effective: Effective) -> Document:
    spec = mapping(data.get("spec"))
    named = {
        "model": effective.get(keys.SERVING_MODEL, effective.get(keys.MODEL_NAME)),
        "runtime": effective.get(keys.SERVING_RUNTIME),
    }
    references = {field: {"name": name} for field, name in named.items() if isinstance(name, str)}
    old = spec.get("predictor") is not None and spec.get("engine") is None and spec.get("model") is None
    role = "predictor" if old else "engine"
    others = spec.get("decoder") is not None or spec.get("router") is not None
    component = {} if spec.get(role) is None and not others else spec.get(role)
    bounds = {field: int(effective[key]) for key, field in _BOUNDS.items() if key in effective}
    if bounds and isinstance(component, Mapping):
        spec = {**spec, role: _filled(component, bounds)}
    return {**data, "spec": spec if old else _filled(spec, references)}


def _benchmark_job(data: Document, effective: Effective) -> Document:
    name, namespace = (value_at(data, "metadata", field) for field in ("name", "namespace"))
    fields: dict[str, Any] = {}
    service, task = effective.get(keys.BENCHMARK_TARGET_SERVICE), effective.get(keys.BENCHMARK_TASK_TYPE)
    if isinstance(service, str):
        fields["endpoint"] = {"inferenceService": {"name": service, "namespace": namespace}}
    if task:
        fields["task"] = task
    length = duration(effective)
    if length > 0:
        fields["maxTimePerIteration"] = math.ceil(length / 60)
        if keys.BENCHMARK_TARGET_QPS in effective:
            fields["maxRequestsPerIteration"] = math.ceil(float(str(effective[keys.BENCHMARK_TARGET_QPS])) * length)
    if keys.STORAGE_SIZE in effective and isinstance(name, str):
        fields["outputLocation"] = {"storageUri": f"pvc://{claim(name)}/results"}
    return {**data, "spec": _filled(mapping(data.get("spec")), fields)}


def duration(effective: Effective) -> float:
    """Seconds of a benchmark's iteration by its keys, 0 if they don't say."""
    return max(seconds(str(effective.get(keys.BENCHMARK_DURATION, ""))) or 0, 0)


def _filled(spec: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {**spec, **{field: value for field, value in defaults.items() if spec.get(field) is None}}


def _effective(metadata: Mapping[str, Any], settings: KeySettings) -> dict[str, Any]:
    labels, annotations = (_texts(mapping(metadata.get(field))) for field in ("labels", "annotations"))
    if not any(is_ome_key(key) for key in (*labels, *annotations)):
        return {}
    return effective_keys(labels, annotations, settings)


def _texts(place: Mapping[Any, Any]) -> dict[str, Any]:
    return {k: v for k, v in place.items() if isinstance(k, str) and isinstance(v, str | Opaque)}


_COMPLETED: Mapping[tuple[str, str], Callable[[Document, Effective], Document]] = {
    ("ome.io", "InferenceService"): _inference_service,
    ("ome.io", "BenchmarkJob"): _benchmark_job,
}
"""OME kinds for which keys fill in more than a number of pods."""
