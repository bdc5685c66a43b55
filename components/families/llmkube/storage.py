"""Where a pod's model is stored: nowhere, on a claim with weights, in the model cache, or in a volume of the pod.

Mirrors defilantech/LLMKube internal/controller/model_storage.go at v0.9.19.
Decisions: L3, L22 (docs/decisions).
"""

from __future__ import annotations

import posixpath
from typing import Any, Literal, NamedTuple

from . import names
from .kinds import InferenceService, Model
from .runtimes import RUNTIMES
from .settings import LLMKubeSettings
from .sources import cache_key, file_set, parse

MODELS = "/models"
MODEL_SOURCE = "/model-source"
DRAFT = "/draft"

Kind = Literal["none", "pvc", "cache", "emptyDir"]

_PLACES = {
    "pvc": ("model-source", MODEL_SOURCE),
    "cache": ("model-cache", MODELS),
    "emptyDir": ("model-storage", MODELS),
}


class Storage(NamedTuple):
    """``path`` is what the server loads, ``directory`` where files are staged, ``file`` the only file to download,
    ``files`` several of them, ``projector`` the vision projector's path. ``size_limit`` limits a volume of the pod.
    ``apart``: the volume is mounted beside another of its kind."""

    kind: Kind
    path: str = ""
    directory: str = ""
    file: str = ""
    files: tuple[str, ...] = ()
    projector: str = ""
    claim: str = ""
    size_limit: Any = None
    apart: bool = False

    @property
    def mount(self) -> dict[str, Any]:
        """Mount of the model volume; empty without one."""
        if self.kind == "none":
            return {}
        name, path = self._place
        return {"name": name, "mountPath": path}

    @property
    def volume(self) -> dict[str, Any]:
        """The model volume of the pod; empty without one."""
        if self.kind == "none":
            return {}
        name, _ = self._place
        if self.kind == "emptyDir":
            return {"name": name, "emptyDir": {} if self.size_limit is None else {"sizeLimit": self.size_limit}}
        read_only = {"readOnly": True} if self.kind == "pvc" else {}
        return {"name": name, "persistentVolumeClaim": {"claimName": self.claim, **read_only}}

    @property
    def _place(self) -> tuple[str, str]:
        name, path = _PLACES[self.kind]
        return (f"draft-{name}", f"{DRAFT}{path}") if self.apart else (name, path)

    def beside(self, file: str) -> str:
        """Path of another staged file; empty for any other file."""
        return f"{self.directory}/{file}" if file in self.files else ""

    def mounted_with(self, other: Storage) -> Storage:
        """The same in a pod that also has ``other``: two claims with weights can't be mounted at one path."""
        if self.kind != "pvc" or other.kind != "pvc" or self.claim == other.claim:
            return self
        return self._replace(path=f"{DRAFT}{self.path}", apart=True)

    @property
    def is_filled(self) -> bool:
        """Whether a download fills it before the server starts."""
        return self.kind in ("cache", "emptyDir")


NONE = Storage("none")


def storage(service: InferenceService, model: Model, settings: LLMKubeSettings) -> Storage:
    """Where the pods of a service have their model."""
    source, files = parse(model.spec.source), file_set(model.spec.files, model.spec.mmproj)
    if "file" not in RUNTIMES[service.spec.runtime].loads:
        return NONE
    if source.kind == "pvc":
        return Storage("pvc", posixpath.join(MODEL_SOURCE, source.path.lstrip("/")), claim=source.place)
    if service.spec.skipModelInit or (source.kind == "repository" and not files):
        # Without files, the server loads the repository itself, or is refused if it can't.
        return NONE
    claim = cache_claim(service, settings)
    place = _several(service, model, files, claim) if files else _one(service, model, claim)
    limit = service.spec.resources.ephemeralStorage if is_ephemeral(service) else None
    return place._replace(size_limit=limit)


def cache_claim(service: InferenceService, settings: LLMKubeSettings) -> str:
    """Name of the claim with the service's model cache; empty if it has none."""
    cache = service.spec.modelCache
    if not settings.modelCachePath or is_ephemeral(service):
        return ""
    if cache and cache.claimName:
        return cache.claimName
    return names.claim_of(service.name) if settings.modelCacheMode == "perService" else names.SHARED_CLAIM


def is_ephemeral(service: InferenceService) -> bool:
    """Whether every pod of the service downloads its own copy."""
    cache = service.spec.modelCache
    return cache is not None and cache.persistence == "Ephemeral"


def _one(service: InferenceService, model: Model, claim: str) -> Storage:
    if not claim:
        path = f"{MODELS}/{_private(service, model)}.gguf"
        return Storage("emptyDir", path, file=path)
    directory = f"{MODELS}/{folder(model)}"
    path = f"{directory}/{file_name(model)}"
    return Storage("cache", path, directory, path, claim=claim)


def _several(service: InferenceService, model: Model, files: list[str], claim: str) -> Storage:
    spec = model.spec
    directory = f"{MODELS}/{folder(model) if claim else _private(service, model)}"
    whole = "folder" in RUNTIMES[service.spec.runtime].loads and spec.format != "gguf"
    path = directory if whole else f"{directory}/{files[0]}"
    projector = f"{directory}/{spec.mmproj}" if spec.mmproj else ""
    kind: Kind = "cache" if claim else "emptyDir"
    return Storage(kind, path, directory, files=tuple(files), projector=projector, claim=claim)


def _private(service: InferenceService, model: Model) -> str:
    """Name of a model in a pod's own volume."""
    return f"{service.namespace}-{model.name}"


def file_name(model: Model) -> str:
    """LLMKube's name of the model's file in the cache: from the path or name in a dumped status, where the file exists
    already, otherwise from the Model's name."""
    at = posixpath.basename(model.observed("path"))
    return at or names.file_name(model.observed("gguf", "modelName"), model.name)


def folder(model: Model) -> str:
    """The model's folder in the cache. A dumped status is ignored, because its folder could be another Model's."""
    return cache_key(model.spec.source)
