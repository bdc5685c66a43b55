"""The service that a benchmark measures: its address, and how it is spoken to. It may be of any family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...kubernetes.model import Manifest
from ...kubernetes.objects import Key, Rendered, key
from .. import GROUPS, family
from .inference_service import Parts, endpoint, rendered
from .model_spec import BaseModel

if TYPE_CHECKING:
    from ...planning.settings import Settings

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


def of_ome(parts: Parts) -> Measured:
    """A service of this family. OME's own status names no port; the Service has one."""
    service = parts.service
    if parts.settings.profile == "upstream":
        url = f"http://{service.name}.{service.namespace}.svc.cluster.local"
    else:
        url = endpoint(parts)
    return Measured(url, _backend(parts), _MODEL_OF_OME, parts.identity.model, _objects(rendered(parts)))


def _objects(service: Rendered) -> tuple[Key, ...]:
    return tuple(key(obj) for obj in service.all_objects())


def _backend(parts: Parts) -> str:
    runner = parts.entry.spec.runner
    for variable in (runner.env or []) if runner else []:
        if variable.name == "PROTOCOL_VERSION" and isinstance(variable.value, str):
            return variable.value
    return "openai"


def of_other_families(manifests: Sequence[Manifest], settings: Settings) -> dict[tuple[str, str], Measured]:
    """The services of the other families by namespace and name, each as its own family plans it."""
    found: dict[tuple[str, str], Measured] = {}
    for folder in sorted({GROUPS.get(m.apiVersion.partition("/")[0], "") for m in manifests} - {"", "ome"}):
        for manifest, service in family(folder).plan(manifests, settings).services:
            measured = Measured(_address(service), "openai", _served_name(manifest), objects=_objects(service))
            found.setdefault((service.namespace, service.name), measured)
    return found


def _address(service: Rendered) -> str:
    """Scheme, host and port of the endpoint that a service's status names; empty for a service without one."""
    endpoint = urlsplit(service.observe({}).endpoint) if service.observe else None
    return f"{endpoint.scheme}://{endpoint.netloc}" if endpoint and endpoint.netloc else ""


def _served_name(manifest: Manifest) -> str:
    """The model's name in requests: that of the manifest, else the service's."""
    model: Any = getattr(getattr(manifest, "spec", None), "model", None)
    name = getattr(model, "name", None)
    return name if isinstance(name, str) and name else manifest.name
