"""Container images: the ModelService's own, else the platform's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from .settings import OtterScaleSettings
from .spec import ModelServiceSpec


def with_default_images(spec: ModelServiceSpec, settings: OtterScaleSettings) -> ModelServiceSpec:
    """The spec with the default image wherever it names none."""
    defaults = settings.defaultImages
    engine = spec.engine.model_copy(update={"image": spec.engine.image or defaults.engine})
    changes: dict[str, Any] = {"engine": engine}
    if spec.routingProxy:
        image = spec.routingProxy.image or defaults.routingProxy
        changes["routingProxy"] = spec.routingProxy.model_copy(update={"image": image})
    if spec.inferencePool:
        picker = spec.inferencePool.endpointPicker
        picker = picker.model_copy(update={"image": picker.image or defaults.epp})
        changes["inferencePool"] = spec.inferencePool.model_copy(update={"endpointPicker": picker})
    return spec.model_copy(update=changes)


def image_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    """Containers without an image, after the defaults. The endpoint picker's is checked with the picker."""
    images = {"engine": spec.engine.image}
    if spec.routingProxy:
        images["routingProxy"] = spec.routingProxy.image
    for part, image in images.items():
        if not image:
            message = f"is required: name one here, or in settings.otterscale.defaultImages.{part}"
            yield Problem(f"spec.{part}.image", message, code="required")
