"""Whether a runtime can serve a model, and if not, why, as OME's controller decides it.

Mirrors sgl-project/ome pkg/runtimeselector/selector.go at v0.1.5, and scorer.go beside it.
Decisions: M17 (docs/decisions).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .base_model import BaseModel, BaseModelSpec
from .fields import Versioned
from .serving_runtime import AcceleratorConfig, ServingRuntime, SupportedModelFormat

_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def rank_of(runtime: ServingRuntime, model: BaseModel, accelerators: Collection[str]) -> tuple[float, float] | None:
    """How well a runtime fits a model (lower is better): by the score of its best format, then by the distance of its
    size bounds from the model's size. None if the runtime can't be selected for the model without being named."""
    if _of_runtime(runtime, model, accelerators):
        return None
    formats = runtime.spec.supportedModelFormats
    offered = [_score(offer) for offer in formats if offer.autoSelect and not list(_of_format(offer, model.spec))]
    return (-max(offered), _distance(runtime, model)) if offered else None


def _score(offer: SupportedModelFormat) -> int:
    priority = 1 if offer.priority is None else offer.priority
    return priority * sum(part.weight or 1 for part in (offer.modelFormat, offer.modelFramework) if part)


def _distance(runtime: ServingRuntime, model: BaseModel) -> float:
    bounds, size = runtime.spec.modelSizeRange, _parameters(model.spec.modelParameterSize)
    if bounds is None or size is None:
        return 0
    return sum(abs((_parameters(bound) or 0) - size) for bound in (bounds.min, bounds.max))


def reasons(runtime: ServingRuntime, model: BaseModel, accelerators: Collection[str] = (), *, named: bool) -> str:
    """Why a runtime can't serve a model, as text; empty if it can.

    A runtime that the service does not name must also allow its selection (``autoSelect``). ``accelerators`` are the
    AcceleratorClasses that the service requests. For a named runtime, fields that the model's manifest leaves out are
    not compared, because OME's agent reads them from the model's files.
    """
    why = _of_runtime(runtime, model, accelerators)
    if why:
        return why
    formats = runtime.spec.supportedModelFormats
    compared = [_as_known(offer, model.spec) for offer in formats] if named else formats
    mismatches = [", ".join(_of_format(offer, model.spec)) for offer in compared]
    if not formats:
        return "it lists no supportedModelFormats"
    if all(mismatches):
        return "; ".join(mismatches)
    fitting = [offer for offer, mismatch in zip(formats, mismatches, strict=True) if not mismatch]
    return "" if named or any(offer.autoSelect for offer in fitting) else "autoSelect is not true"


def settings_on(accelerator: str, runtime: ServingRuntime, model: BaseModel | None) -> AcceleratorConfig:
    """A runtime's settings for an accelerator, from the format that fits the model best."""
    configs = [
        ([*_of_format(offer, model.spec)] if model else [], offer.acceleratorConfig[accelerator])
        for offer in runtime.spec.supportedModelFormats
        if accelerator in offer.acceleratorConfig
    ]
    return min(configs, key=lambda pair: len(pair[0]))[1] if configs else AcceleratorConfig()


_FROM_FILES = ("modelArchitecture", "quantization", "modelFormat", "modelFramework", "diffusionPipeline")
"""Fields of a model that OME's agent fills in from the model's files."""


def _as_known(offer: SupportedModelFormat, model: BaseModelSpec) -> SupportedModelFormat:
    """A format's requirements, without the fields that the model's manifest leaves out."""
    unknown = {field: None for field in _FROM_FILES if getattr(model, field) is None}
    return offer.model_copy(update={**unknown, **({"name": None} if "modelFormat" in unknown else {})})


def _of_runtime(runtime: ServingRuntime, model: BaseModel, accelerators: Collection[str]) -> str:
    if runtime.spec.disabled:
        return "it is disabled"
    requirements = runtime.spec.acceleratorRequirements
    classes = requirements.get("acceleratorClasses", []) if isinstance(requirements, Mapping) else []
    missing = sorted(set(accelerators) - set(map(str, classes)))
    if missing:
        return f"its acceleratorRequirements don't list {' and '.join(missing)}"
    bounds, size = runtime.spec.modelSizeRange, _parameters(model.spec.modelParameterSize)
    if bounds is None or size is None:
        return ""
    low, high = _parameters(bounds.min), _parameters(bounds.max)
    fits = (low is None or low <= size) and (high is None or size <= high)
    return "" if fits else f"modelParameterSize {model.spec.modelParameterSize} is outside {bounds.min} to {bounds.max}"


def _of_format(offer: SupportedModelFormat, model: BaseModelSpec) -> Iterator[str]:
    yield from _of_pipeline(offer.diffusionPipeline, model.diffusionPipeline)
    for field in ("modelArchitecture", "quantization"):
        wanted, has = getattr(offer, field), getattr(model, field)
        if wanted != has:
            yield f"{field} is {wanted or 'not set'}, the model's {has or 'not set'}"
    old = Versioned(name=offer.name, version=offer.version) if offer.name else None
    yield from _of_version("modelFormat", offer.modelFormat or old, model.modelFormat)
    yield from _of_version("modelFramework", offer.modelFramework, model.modelFramework)


def _of_version(field: str, wanted: Versioned | None, has: Versioned | None) -> Iterator[str]:
    if wanted is None and has is None:
        return
    if wanted is None or has is None or wanted.name != has.name or not _version_fits(wanted, has):
        yield f"{field} is {_spelled(wanted)}, the model's {_spelled(has)}"


def _spelled(value: Versioned | None) -> str:
    return " ".join(filter(None, [value.name, value.version, value.operator])) if value else "not set"


def _version_fits(wanted: Versioned, has: Versioned) -> bool:
    if wanted.version is None or has.version is None:
        return wanted.version == has.version
    ours, theirs = _parts(wanted.version), _parts(has.version)
    if ours is None or theirs is None or wanted.operator in (None, "Equal"):
        return wanted.version == has.version
    comparable = len(ours) == len(theirs)
    return comparable and (ours > theirs or (wanted.operator == "GreaterThanOrEqual" and ours == theirs))


def _parts(version: str) -> list[int] | None:
    """``4.45.0`` as numbers; None for a version with other parts, which equals only itself."""
    parts = version.removeprefix("v").split(".")
    return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else None


def _of_pipeline(wanted: Any, has: Any, field: str = "diffusionPipeline") -> Iterator[str]:
    if not isinstance(wanted, Mapping):
        return
    for key, value in wanted.items():
        of_model = has.get(key) if isinstance(has, Mapping) else None
        if isinstance(value, Mapping):
            yield from _of_pipeline(value, of_model, f"{field}.{key}")
        elif value != of_model:
            yield f"{field}.{key} is {value}, the model's {of_model or 'not set'}"


def _parameters(text: str | None) -> float | None:
    """``8B`` as a number."""
    match = re.fullmatch(r"([0-9.]+)([KMBT])", (text or "").upper())
    try:
        return float(match[1]) * _UNITS[match[2]] if match else None
    except ValueError:
        return None
