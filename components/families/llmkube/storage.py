"""Where a pod has its model: nowhere, on a claim with weights, in the model cache, or in a folder of its own."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any, Literal

from ...engines.engine import Engine
from . import names
from .kinds import Model
from .settings import LLMKubeSettings
from .sources import Source, cache_key, file_set
from .spec import InferenceServiceSpec

MODELS = "/models"
MODEL_SOURCE = "/model-source"
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

Kind = Literal["none", "pvc", "cache", "emptyDir"]


@dataclass(frozen=True)
class Storage:
    """``path`` is what the server is told to load, ``directory`` where files are staged, ``file`` the one file that is
    downloaded, ``files`` the several ones, ``projector`` the path of the vision projector."""

    kind: Kind
    path: str = ""
    directory: str = ""
    file: str = ""
    files: tuple[str, ...] = ()
    projector: str = ""
    claim: str = ""

    @property
    def mount(self) -> dict[str, Any] | None:
        """The server's mount of the model volume."""
        place = _PLACES.get(self.kind)
        return {"name": place[0], "mountPath": place[1], "readOnly": True} if place else None

    @property
    def volume(self) -> dict[str, Any] | None:
        """The model volume of the pod."""
        if self.kind == "none":
            return None
        name = _PLACES[self.kind][0]
        if self.kind == "emptyDir":
            return {"name": name, "emptyDir": {}}
        read_only = {"readOnly": True} if self.kind == "pvc" else {}
        return {"name": name, "persistentVolumeClaim": {"claimName": self.claim, **read_only}}


_PLACES = {
    "pvc": ("model-source", MODEL_SOURCE),
    "cache": ("model-cache", MODELS),
    "emptyDir": ("model-storage", MODELS),
}
"""Name of the model volume and where it is mounted."""

NONE = Storage("none")


def storage(
    service: str,
    namespace: str,
    spec: InferenceServiceSpec,
    model: Model,
    source: Source,
    engine: Engine,
    settings: LLMKubeSettings,
) -> Storage:
    """Where the pods of a service have their model."""
    if not engine.reads_files:
        return NONE
    if source.kind == "pvc":
        return Storage("pvc", posixpath.join(MODEL_SOURCE, source.path.lstrip("/")), claim=source.place)
    if spec.skipModelInit:
        return NONE
    files = file_set(model.spec.files, model.spec.mmproj)
    if source.kind == "repository" and not files:
        # A server that loads repositories fetches this one itself; for another one it is refused.
        return NONE
    claim = cache_claim(service, settings)
    kind: Kind = "cache" if claim else "emptyDir"
    staged = _staged_files if files else _staged_file
    return staged(kind, f"{namespace}-{model.name}", model, files, spec.runtime, claim)


def cache_claim(service: str, settings: LLMKubeSettings) -> str:
    """Name of the claim that has the service's model cache; empty when the cache is off."""
    if not settings.modelCachePath:
        return ""
    return names.own_claim(service) if settings.modelCacheMode == "perService" else names.SHARED_CLAIM


def _staged_file(kind: Kind, private: str, model: Model, files: list[str], runtime: str, claim: str) -> Storage:
    if kind == "emptyDir":
        path = f"{MODELS}/{private}.gguf"
        return Storage(kind, path, file=path)
    directory = f"{MODELS}/{folder(model)}"
    path = f"{directory}/{posixpath.basename(model.observed('path')) or names.file_name(model.name)}"
    return Storage(kind, path, directory, path, claim=claim)


def _staged_files(kind: Kind, private: str, model: Model, files: list[str], runtime: str, claim: str) -> Storage:
    directory = f"{MODELS}/{private if kind == 'emptyDir' else folder(model)}"
    whole = runtime == "vllm" and model.spec.format != "gguf"
    projector = f"{directory}/{model.spec.mmproj}" if model.spec.mmproj else ""
    path = directory if whole else f"{directory}/{files[0]}"
    return Storage(kind, path, directory, files=tuple(files), projector=projector, claim=claim)


def folder(model: Model) -> str:
    """The model's folder in the cache, the one that a dumped status names if it does."""
    observed = model.observed("cacheKey")
    return observed if _FOLDER.fullmatch(observed) else cache_key(model.spec.source)
