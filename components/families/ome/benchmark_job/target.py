"""The service that a benchmark measures: its address, and how it is spoken to. It may be of any family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....kubernetes.objects import Key, Rendered, key
from ... import Target
from ..base_model import BaseModel
from ..inference_service.context import Context, endpoint
from ..inference_service.render import rendered

_MODEL_OF_OME = "vllm-model"


@dataclass(frozen=True)
class Measured:
    """``model`` has the files of the tokenizer; None where the job has to find one itself. ``objects`` are those of the
    service, which must be ready first; none where the stack does not make it."""

    url: Any
    backend: str
    model_name: str
    model: BaseModel | None = None
    objects: tuple[Key, ...] = ()


def of_ome(context: Context) -> Measured:
    """A service of this family. OME's own status names no port; the Service has one."""
    service = context.service
    if context.settings.profile == "upstream":
        url = f"http://{service.name}.{service.namespace}.svc.cluster.local"
    else:
        url = endpoint(context)
    return Measured(url, _backend(context), _MODEL_OF_OME, context.identity.model, _objects(rendered(context)))


def _objects(service: Rendered) -> tuple[Key, ...]:
    return tuple(key(obj) for obj in service.all_objects())


def _backend(context: Context) -> str:
    runner = context.entry.spec.runner
    for variable in (runner.env or []) if runner else []:
        if variable.name == "PROTOCOL_VERSION" and isinstance(variable.value, str):
            return variable.value
    return "openai"


def of_other_family(target: Target) -> Measured:
    return Measured(target.url, "openai", target.model_name, objects=target.objects)
