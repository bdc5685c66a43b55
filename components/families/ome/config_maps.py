"""OME's ConfigMaps among the manifests: what they say takes precedence over the stack's settings."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...findings import Problem
from ...kubernetes.existing import Existing
from ...kubernetes.model import read
from ...kubernetes.source import Source, at
from .settings import OMESettings, from_json

CONFIG_MAPS = frozenset(["inferenceservice-config", "benchmarkjob-config"])
_KEYS = ("deploy", "ingress", "metricsAggregator", "modelInit", "multinodeProber", "benchmarkjob")


def config_maps(sources: Iterable[Source]) -> Iterator[tuple[Source, Existing]]:
    for source in sources:
        manifest = source.manifest
        if isinstance(manifest, Existing) and manifest.kind == "ConfigMap" and manifest.name in CONFIG_MAPS:
            yield source, manifest


def configured(settings: OMESettings, sources: Iterable[Source]) -> tuple[OMESettings, list[tuple[Source, Problem]]]:
    """The settings with the keys of the ConfigMaps in their place, and what is wrong with those.

    A ConfigMap has keys of other releases too: what is not known here is left alone.
    """
    problems: list[tuple[Source, Problem]] = []
    for source, config_map in config_maps(sources):
        data, wrong_json = _parsed(config_map.body("data"))
        model, more = read(OMESettings, data, ignore_unknown=True)
        wrong_json += more
        wrong = [replace(problem, path=f"data.{problem.path}") for problem in wrong_json if problem.severity == "error"]
        problems += at(source, wrong)
        if model is not None:
            updates: dict[str, Any] = {key: getattr(model, key) for key in data}
            settings = settings.model_copy(update=updates)
    return settings, problems


def _parsed(data: Any) -> tuple[dict[str, Any], list[Problem]]:
    """The known keys with their JSON text read, and which of them are not JSON."""
    parsed: dict[str, Any] = {}
    problems: list[Problem] = []
    for key in _KEYS:
        try:
            parsed |= {key: from_json(data[key])} if isinstance(data, dict) and key in data else {}
        except ValueError as error:
            problems.append(Problem(key, str(error), code="bad-value"))
    return parsed, problems
