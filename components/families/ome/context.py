"""Models and runtimes among the manifests, and how services find them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...findings import Problem
from ...kubernetes.model import dump
from ...kubernetes.source import Source
from ...kubernetes.strategic_merge import merge
from .base_model import BaseModel, ClusterBaseModel
from .inference_service.spec import ModelRef, RuntimeRef
from .runtime_selection import rank_of, reasons
from .serving_runtime import INHERIT_FROM, ClusterServingRuntime, ServingRuntime, ServingRuntimeSpec

Place = tuple[str, str]
"""Namespace and name; the namespace is empty for cluster-scoped objects."""


@dataclass(frozen=True)
class Catalog:
    """``models`` and ``runtimes`` by place. Runtimes include inherited fields; ``problems`` concern inheritance."""

    models: Mapping[Place, BaseModel]
    runtimes: Mapping[Place, ServingRuntime]
    problems: tuple[tuple[Source, Problem], ...] = ()

    @classmethod
    def of(cls, sources: Iterable[Source]) -> Catalog:
        models: dict[Place, BaseModel] = {}
        runtimes: dict[Place, ServingRuntime] = {}
        origins: dict[Place, Source] = {}
        for source in sources:
            manifest = source.manifest
            if isinstance(manifest, BaseModel):
                models[_place(manifest)] = manifest
            elif isinstance(manifest, ServingRuntime):
                runtimes[_place(manifest)], origins[_place(manifest)] = manifest, source
        problems = tuple(
            (origins[place], problem) for place in runtimes for problem in _inheritance_problems(place, runtimes)
        )
        return cls(models, {place: _inherited(place, runtimes) for place in runtimes}, problems)

    def model(self, reference: ModelRef | None, namespace: str) -> BaseModel | None:
        models = (self.models.get(place) for place in _places(reference, namespace)) if reference else ()
        return next(filter(None, models), None)

    def runtime(self, reference: RuntimeRef, namespace: str) -> ServingRuntime | None:
        return next(filter(None, (self.runtimes.get(place) for place in _places(reference, namespace))), None)

    def lineage(self, runtime: ServingRuntime) -> Iterator[ServingRuntime]:
        """A runtime and those that it inherits from."""
        place = _place(runtime)
        return (self.runtimes[one] for one in (place, *_parents(place, self.runtimes)))

    def choose(self, model: BaseModel, namespace: str, accelerators: Collection[str] = ()) -> ServingRuntime | None:
        """The best runtime for a model: the namespace's first, then by rank, then by name."""
        fitting = [
            (place != namespace, rank, name, runtime)
            for (place, name), runtime in self._within(namespace)
            if (rank := rank_of(runtime, model, accelerators)) is not None
        ]
        return min(fitting, key=lambda rank: rank[:3])[3] if fitting else None

    def why_none(self, model: BaseModel, namespace: str, accelerators: Collection[str] = ()) -> str:
        runtimes = {name: runtime for (_, name), runtime in self._within(namespace)}
        why = [f"{name}: {reasons(runtimes[name], model, accelerators, named=False)}" for name in sorted(runtimes)]
        return "; ".join(why) or "no manifest has one that is cluster-wide or in its namespace"

    def _within(self, namespace: str) -> Iterator[tuple[Place, ServingRuntime]]:
        yield from ((place, runtime) for place, runtime in self.runtimes.items() if place[0] in ("", namespace))


def _place(manifest: BaseModel | ServingRuntime) -> Place:
    cluster_wide = isinstance(manifest, ClusterBaseModel | ClusterServingRuntime)
    return ("" if cluster_wide else manifest.namespace, manifest.name)


def _places(reference: ModelRef | RuntimeRef, namespace: str) -> list[Place]:
    """Where to look. If the reference has no kind, the namespace takes precedence over the cluster."""
    kind, of_cluster, of_namespace = reference.kind or "", ("", reference.name), (namespace, reference.name)
    if kind.startswith("Cluster"):
        return [of_cluster]
    return [of_namespace] if kind in ("BaseModel", "ServingRuntime") else [of_namespace, of_cluster]


def _parents(place: Place, runtimes: Mapping[Place, ServingRuntime]) -> Iterator[Place]:
    """The runtimes that a runtime inherits from, nearest first; stops at a missing or repeated one."""
    seen = {place}
    while name := runtimes[place].metadata.annotations.get(INHERIT_FROM):
        places = [(namespace, str(name)) for namespace in (place[0], "")]
        place = next((one for one in places if one in runtimes and one not in seen), ("", ""))
        if place not in runtimes:
            return
        seen.add(place)
        yield place


def _inherited(place: Place, runtimes: Mapping[Place, ServingRuntime]) -> ServingRuntime:
    specs = [dump(runtimes[one].spec) for one in (place, *_parents(place, runtimes))]
    if len(specs) == 1:
        return runtimes[place]
    spec = ServingRuntimeSpec.model_validate(merge.all(reversed(specs)))
    return runtimes[place].model_copy(update={"spec": spec})


def _inheritance_problems(place: Place, runtimes: Mapping[Place, ServingRuntime]) -> Iterator[Problem]:
    parents = [*_parents(place, runtimes)]
    wanted = runtimes[(parents or [place])[-1]].metadata.annotations.get(INHERIT_FROM)
    if wanted and (not parents or wanted == place[1]):
        missing = "" if wanted == place[1] else str(wanted)
        message = f"no manifest has a runtime {missing} to inherit from" if missing else "leads back to itself"
        path = f'metadata.annotations["{INHERIT_FROM}"]'
        yield Problem(path, f"{message}: correct it", code="unknown-runtime", key=INHERIT_FROM, missing=missing)
