"""Number of pods and autoscaling of services of other families, from the keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..kubernetes.values import value_at
from . import keys

Path = tuple[str, ...]


class Fields(NamedTuple):
    """Paths of a kind's fields for the number of pods and for autoscaling; empty if it has none."""

    replicas: Path
    scaling: Path = ()
    scales_on_resources: bool = False
    """Whether ``scaling`` has bounds and resource metrics like LLMKube's ``autoscaling``."""


REPLICAS: Mapping[tuple[str, str], Fields] = {
    ("inference.llmkube.dev", "InferenceService"): Fields(
        ("spec", "replicas"), ("spec", "autoscaling"), scales_on_resources=True
    ),
    ("model.otterscale.io", "ModelService"): Fields(("spec", "decode", "replicas")),
    ("serving.kserve.io", "LLMInferenceService"): Fields(("spec", "replicas"), ("spec", "scaling")),
}
"""Fields of the main workload by group and kind; with separate prefill, it is the decode workload."""


class ScalingRequest(NamedTuple):
    """The number of pods that the keys request, and the scaling between its bounds."""

    low: int | None
    high: int | None
    with_keda: bool
    metric: str
    target: Any

    @classmethod
    def of(cls, effective: Mapping[str, Any]) -> ScalingRequest:
        bounds = [int(effective[key]) if key in effective else None for key in (keys.MIN_REPLICAS, keys.MAX_REPLICAS)]
        keda = effective.get(keys.AUTOSCALING_ENABLE_KEDA) == "true"
        target_key = keys.AUTOSCALING_TARGET if keda else keys.TARGET_UTILIZATION
        target = effective.get(target_key, effective.get(keys.AUTOSCALING_TARGET))
        return cls(bounds[0], bounds[1], keda, str(effective.get(keys.AUTOSCALING_METRIC, "")), target)

    @property
    def resource(self) -> str:
        return self.metric if self.metric in ("cpu", "memory") else "cpu"

    @property
    def utilization(self) -> int:
        """Target utilization of an HPA, in percent of the requests."""
        return 80 if self.target is None else max(1, round(float(self.target)))

    def from_count(self, count: int | None) -> int:
        """Minimum number of pods, if the manifest requests ``count``."""
        return self.low if self.low is not None else 1 if count is None else count


def fields_of(api_version: str, kind: str) -> Fields | None:
    return REPLICAS.get((api_version.partition("/")[0], kind))


def with_replicas(data: Mapping[str, Any], effective: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document with the keys' number of pods or autoscaling, unless it says otherwise."""
    fields = fields_of(str(data.get("apiVersion")), str(data.get("kind")))
    if fields is None or effective.keys().isdisjoint((keys.MIN_REPLICAS, keys.MAX_REPLICAS)):
        return data
    request, count = ScalingRequest.of(effective), value_at(data, *fields.replicas)
    scaling = value_at(data, *fields.scaling)
    stated = count if isinstance(count, int) else int(count) if isinstance(count, str) and count.isdecimal() else None
    if (fields.scaling and scaling is not None) or (count is not None and stated != request.from_count(stated)):
        return data
    low = request.from_count(stated)
    if fields.scales_on_resources and request.high is not None and request.high > max(low, 1) and not request.with_keda:
        return _with(data, fields.scaling, _on_resources(request, low))
    return _with(data, fields.replicas, low) if request.low is not None else data


def _on_resources(request: ScalingRequest, low: int) -> dict[str, Any]:
    metric = {"type": "Resource", "name": request.resource, "targetAverageUtilization": request.utilization}
    return {"minReplicas": max(low, 1), "maxReplicas": request.high, "metrics": [metric]}


def _with(data: Mapping[str, Any], path: Path, value: Any) -> Mapping[str, Any]:
    """The document with a value set at a path, unless a parent is missing."""
    field, *rest = path
    if not rest:
        return {**data, field: value}
    parent = data.get(field)
    return {**data, field: _with(parent, tuple(rest), value)} if isinstance(parent, Mapping) else data
