"""The models and runtimes that a stack's manifests describe, and how a service finds its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...kubernetes.model import Manifest
from .base_model import BaseModel, ClusterBaseModel
from .inference_service.spec import ModelRef, RuntimeRef
from .serving_runtime import ClusterServingRuntime, ServingRuntime, SupportedModelFormat

_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


@dataclass(frozen=True)
class Catalog:
    """``models`` and ``runtimes`` are by namespace and name; the namespace of a cluster's object is empty."""

    models: Mapping[tuple[str, str], BaseModel]
    runtimes: Mapping[tuple[str, str], ServingRuntime]

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> Catalog:
        models: dict[tuple[str, str], BaseModel] = {}
        runtimes: dict[tuple[str, str], ServingRuntime] = {}
        for manifest in manifests:
            cluster_wide = isinstance(manifest, ClusterBaseModel | ClusterServingRuntime)
            where = ("" if cluster_wide else manifest.namespace, manifest.name)
            if isinstance(manifest, BaseModel):
                models[where] = manifest
            elif isinstance(manifest, ServingRuntime):
                runtimes[where] = manifest
        return cls(models, runtimes)

    def model(self, reference: ModelRef | None, namespace: str) -> BaseModel | None:
        """A namespace's own model takes precedence over the cluster's when the reference does not say which."""
        if reference is None:
            return None
        places = {"BaseModel": (namespace,), "ClusterBaseModel": ("",)}.get(reference.kind or "", (namespace, ""))
        return next((self.models[p, reference.name] for p in places if (p, reference.name) in self.models), None)

    def runtime(self, reference: RuntimeRef, namespace: str) -> ServingRuntime | None:
        kind = reference.kind or ""
        places = {"ServingRuntime": (namespace,), "ClusterServingRuntime": ("",)}.get(kind, (namespace, ""))
        return next((self.runtimes[p, reference.name] for p in places if (p, reference.name) in self.runtimes), None)

    def choose(self, model: BaseModel, namespace: str) -> ServingRuntime | None:
        """The runtime for a model without a named one: the namespace's first, then by priority, then by name."""
        fitting = [
            (place != namespace, -priority, name, runtime)
            for (place, name), runtime in self.runtimes.items()
            if place in ("", namespace) and (priority := _priority(runtime, model)) is not None
        ]
        return min(fitting, key=lambda found: found[:3])[3] if fitting else None


def _priority(runtime: ServingRuntime, model: BaseModel) -> int | None:
    """The best priority of the formats with which a runtime offers itself for a model, or None."""
    if runtime.spec.disabled or not _in_range(runtime, model):
        return None
    offered = [f.priority or 0 for f in runtime.spec.supportedModelFormats if f.autoSelect and _fits(f, model)]
    return max(offered, default=None)


def _fits(offer: SupportedModelFormat, model: BaseModel) -> bool:
    spec = model.spec
    pairs: list[tuple[Any, Any]] = [
        (offer.modelFormat.name if offer.modelFormat else offer.name, spec.modelFormat.name),
        (offer.modelFormat.version if offer.modelFormat else offer.version, spec.modelFormat.version),
    ]
    if offer.modelFramework and spec.modelFramework:
        pairs.append((offer.modelFramework.name, spec.modelFramework.name))
        pairs.append((offer.modelFramework.version, spec.modelFramework.version))
    if spec.modelArchitecture:
        pairs.append((offer.modelArchitecture, spec.modelArchitecture))
    same = all(wanted is None or has is None or wanted.lower() == has.lower() for wanted, has in pairs)
    return same and offer.quantization == spec.quantization


def _in_range(runtime: ServingRuntime, model: BaseModel) -> bool:
    bounds, size = runtime.spec.modelSizeRange, _parameters(model.spec.modelParameterSize)
    if bounds is None or size is None:
        return True
    low, high = _parameters(bounds.min), _parameters(bounds.max)
    return (low is None or low <= size) and (high is None or size <= high)


def _parameters(text: str | None) -> float | None:
    """``8B`` as a number."""
    match = re.fullmatch(r"([0-9.]+)([KMBT])", (text or "").upper())
    try:
        return float(match[1]) * _UNITS[match[2]] if match else None
    except ValueError:
        return None
