"""The service that a benchmark measures: its address, and how it is spoken to. It may be of any family."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....kubernetes.objects import Key, key
from ....ome_keys.flags import served_name
from ....ome_keys.pods import main
from ... import Target
from ..base_model import BaseModel
from ..inference_service.component import serving_runner
from ..inference_service.context import Context, endpoint
from ..inference_service.pod_template import templates_of
from ..inference_service.render import rendered
from .spec import DirectEndpoint

_MODEL_OF_OME = "vllm-model"
"""What OME's runtimes call every model, and its controller takes for granted."""


@dataclass(frozen=True)
class Measured:
    """``model`` has the files of the tokenizer, ``tokenizer`` says where it is: a folder or a Hugging Face repository.
    ``objects`` are those of the service, which must be ready first; none where the stack does not make it."""

    url: Any
    backend: str
    model_name: str
    tokenizer: str
    model: BaseModel | None = None
    objects: tuple[Key, ...] = ()


def of_ome(context: Context) -> Measured:
    """A service of this family. OME's status names no port; the Service has one."""
    service, model, upstream = context.service, context.identity.model, context.settings.profile == "upstream"
    url = f"http://{service.name}.{service.namespace}.svc.cluster.local" if upstream else endpoint(context)
    fallback = _MODEL_OF_OME if upstream else context.identity.model_name or _MODEL_OF_OME
    name = served_name(_serving(context)) or fallback
    tokenizer = (model and (model.path or model.repository)) or name
    objects = tuple(key(obj) for obj in rendered(context).all_objects())
    return Measured(url, _backend(context), name, tokenizer, model, objects)


def _serving(context: Context) -> Mapping[str, Any]:
    """The container that answers with the model's name: the engine's, also behind a router."""
    component = next((context.components[role] for role in ("engine", "decoder") if role in context.components), None)
    component = component or context.entry
    return main(templates_of(context, component)(component.serving_part))


def _backend(context: Context) -> str:
    for variable in serving_runner(context.entry).env or []:
        if variable.name == "PROTOCOL_VERSION" and isinstance(variable.value, str):
            return variable.value
    return "openai"


def of_other_family(target: Target) -> Measured:
    return Measured(target.url, "openai", target.model_name, target.tokenizer, objects=target.objects)


def of_address(direct: DirectEndpoint) -> Measured:
    name = direct.modelName or ""
    return Measured(direct.url, direct.apiFormat, name, name)
