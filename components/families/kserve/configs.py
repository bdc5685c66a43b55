"""Computes a service's effective spec by merging presets, then base configs, then the service.

The service merged with its base configs determines which presets apply. Templates are filled in from the fully merged
spec, so that the parallelism of a base config also reaches the command line.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/config_loader.go at v0.20.0-rc0.
Decisions: K20 (docs/decisions).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...engines.probes import attempts
from ...findings import Problem
from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, GROUP
from ...kubernetes.model import dump, read
from ...kubernetes.objects import Key
from ...kubernetes.spelling import nearest
from ...kubernetes.values import texts, value_at
from . import names
from .merge import merge
from .presets import PREFIX, shipped, shipped_names
from .router_spec import with_current_pool
from .settings import KServeSettings
from .spec import LLMInferenceService, LLMInferenceServiceConfig, ServiceSpec
from .templates import evaluate
from .user_config import ConfigText, plugin_types

SYSTEM_NAMESPACE = "kserve"
CONFIG = "LLMInferenceServiceConfig"

Configs = Mapping[tuple[str, str], LLMInferenceServiceConfig]
"""Configs among the manifests, by namespace and name."""


class Source(NamedTuple):
    """One layer of a service's spec. ``name`` says where it comes from, empty for the service itself."""

    name: str
    spec: ServiceSpec


@dataclass(frozen=True)
class Effective:
    """A service's merged spec; ``spec`` is None if it can't be read.

    ``complete`` is false if a config or preset is missing or a template can't be filled in. The service's own fields
    can be checked even then, but not the rendered objects.
    """

    spec: ServiceSpec | None
    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()
    complete: bool = True


def effective(
    service: LLMInferenceService, configs: Configs, settings: KServeSettings, config_text: ConfigText
) -> Effective:
    """Merge the layers, fill in templates and read the result. Problems have paths of the service's spec."""
    bases, problems = _layers(service.namespace, _wanted_bases(service), configs, settings)
    stated = without_default_name(with_current_pool(dump(service.spec)), service.name, bases.values())
    suffixes = preset_suffixes(merge.all([*bases.values(), stated]), config_text)
    wanted = [(PREFIX + suffix, _not_shipped(suffix, service.namespace)) for suffix in suffixes]
    presets, missing = _layers(service.namespace, wanted, configs, settings)
    problems += missing
    layers = {**presets, **bases, "": stated}
    merged = merge.all(layers.values())
    merged["model"] = {"name": service.name, **merged.get("model", {})}
    context = _context(service, merged, settings)
    by_layer = {name: _judged(layer, context, settings) for name, layer in layers.items()}
    whole = _judged(merged, context, settings)
    of_layers = {name: frozenset(map(_alike, part.problems)) for name, part in by_layer.items()}
    of_configs = (layer for name, layer in layers.items() if name.startswith(CONFIG))
    reported = frozenset(_alike(problem) for layer in of_configs for problem in config_problems(layer, settings))
    attributed = [_with_cause(problem, of_layers, reported) for problem in whole.problems]
    sources = [Source(name, part.spec) for name, part in by_layer.items() if part.spec is not None]
    complete = not problems and not any(problem.code == "template" for problem in whole.problems)
    problems += [problem for problem in attributed if problem is not None]
    return Effective(whole.spec, tuple(sources), tuple(problems), complete)


class _Judged(NamedTuple):
    spec: ServiceSpec | None
    problems: list[Problem]


def _judged(spec: Mapping[str, Any], context: Mapping[str, Any], settings: KServeSettings) -> _Judged:
    """Fill in templates and read. A text whose template fails is reported once."""
    failed: list[Problem] = []
    filled = evaluate(spec, context, failed, "spec")
    model, problems = read(ServiceSpec, filled, ignore_unknown=settings.ignoreUnknown)
    unreadable = [replace(problem, path=f"spec.{problem.path}") for problem in problems]
    paths = {problem.path for problem in failed}
    return _Judged(model, [*failed, *(problem for problem in unreadable if problem.path not in paths)])


def _with_cause(
    problem: Problem, layers: Mapping[str, Collection[tuple[str, str]]], reported: Collection[tuple[str, str]]
) -> Problem | None:
    """Add to a problem of the merged spec the config that causes it; None if that config reports it itself.

    ``layers`` are the problems of each layer, ``reported`` those that configs report themselves.
    """
    alike = _alike(problem)
    causes = [name for name, problems in layers.items() if alike in problems]
    if not causes or "" in causes:
        return problem
    if causes[-1].startswith(CONFIG) and alike in reported:
        return None
    return replace(problem, message=f"{problem.message} (from {causes[-1]})")


def _alike(problem: Problem) -> tuple[str, str]:
    """A problem's identity, without list indices, which may differ in the merged spec."""
    return re.sub(r"\[\d+\]", "[]", problem.path), problem.message


def config_problems(spec: Mapping[str, Any], settings: KServeSettings) -> Iterator[Problem]:
    """Problems of a config's spec by itself. A text with a template may become anything, so its value is not judged."""
    _, problems = read(ServiceSpec, spec, ignore_unknown=settings.ignoreUnknown)
    templated = frozenset(path for path, text in texts(spec) if "{{" in text)
    for problem in problems:
        if problem.code != "bad-value" or problem.path not in templated:
            yield replace(problem, path=f"spec.{problem.path}")


def _layers(
    namespace: str, wanted: Iterable[tuple[str, Problem]], configs: Configs, settings: KServeSettings
) -> tuple[dict[str, Any], list[Problem]]:
    """The specs of the wanted configs in order, keyed by their names in messages, and the problems of missing ones."""
    layers: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, missing in wanted:
        layer = _layer(namespace, name, configs, settings)
        if layer is None:
            problems.append(missing)
        else:
            layers |= layer
    return layers, problems


def _wanted_bases(service: LLMInferenceService) -> Iterator[tuple[str, Problem]]:
    for index, ref in enumerate(service.spec.baseRefs):
        where = f"the namespaces {service.namespace} and {SYSTEM_NAMESPACE}"
        near = nearest(ref.name, shipped_names()) if ref.name.startswith(PREFIX) else None
        hint = f"did you mean the preset {near}?" if near else "add it"
        message = f"LLMInferenceServiceConfig {ref.name} is not among the manifests of {where}; {hint}"
        path = f"spec.baseRefs[{index}].name"
        yield ref.name, Problem(path, message, code="config-not-found", missing=ref.name)


def _layer(namespace: str, name: str, configs: Configs, settings: KServeSettings) -> dict[str, Any] | None:
    """The spec of a config, keyed by its name in messages: from a manifest, otherwise the shipped preset with the
    settings' change. None if there is neither."""
    config = configs.get((namespace, name)) or configs.get((SYSTEM_NAMESPACE, name))
    if config is not None:
        return {_title(config): with_current_pool(config.spec)}
    preset, change = shipped(name), settings.presets.get(name)
    if preset is None and change is None:
        return None
    patient = _with_budget(preset or {}, settings.startup.budgetSeconds)
    return {f"preset {name}": merge(patient, with_current_pool(change or {}))}


def _title(config: LLMInferenceServiceConfig) -> str:
    return f"{CONFIG} {config.namespace}/{config.name}"


def configs_of(merged: Effective, configs: Configs) -> tuple[Key, ...]:
    """The configs among a service's layers: those that it names, and those that replace a preset."""
    titles = {source.name for source in merged.sources}
    return tuple(config.key for config in configs.values() if _title(config) in titles)


def _with_budget(preset: Any, seconds: int | None) -> Any:
    """The preset with as many startup attempts as fit the budget."""
    if seconds is None:
        return preset
    if isinstance(preset, list):
        return [_with_budget(item, seconds) for item in preset]
    if not isinstance(preset, Mapping):
        return preset
    changed = {field: _with_budget(value, seconds) for field, value in preset.items()}
    probe = preset.get("startupProbe")
    if isinstance(probe, Mapping):
        changed["startupProbe"] = {**probe, "failureThreshold": attempts(seconds, probe.get("periodSeconds", 10))}
    return changed


def _not_shipped(suffix: str, namespace: str) -> Problem:
    name, path = PREFIX + suffix, "spec.prefill.parallelism" if suffix.startswith("prefill") else "spec.parallelism"
    path = "spec.router.scheduler.config" if suffix == "scheduler-latency-predictor" else path
    message = (
        f"needs the preset {name}, which is not shipped; add an LLMInferenceServiceConfig of that name in namespace "
        f"{namespace} or {SYSTEM_NAMESPACE} to the manifests"
    )
    return Problem(path, message, code="config-not-found", missing=name)


def preset_suffixes(spec: Mapping[str, Any], config_text: ConfigText) -> list[str]:
    """The presets for what a (raw) spec switches on, lowest precedence first."""
    router = value_at(spec, "router") or {}
    scheduler = value_at(router, "scheduler")
    wanted: list[str] = []
    if scheduler is not None:
        if not value_at(scheduler, "pool", "ref"):
            wanted.append("scheduler")
        if tokenizer_needed(scheduler, config_text):
            wanted.append("tokenizer")
        if "predicted-latency-producer" in plugin_types(scheduler, config_text):
            wanted.append("scheduler-latency-predictor")
    if value_at(router, "route") is not None and not value_at(router, "route", "http", "refs"):
        wanted.append("router-route")
    if spec.get("tracing") is not None:
        wanted.append("tracing")
    prefill = spec.get("prefill")
    if prefill is None:
        return [*wanted, *_workload_preset("", spec)]
    return [*wanted, *_workload_preset("prefill-", prefill), *_workload_preset("decode-", spec)]


def tokenizer_needed(scheduler: Mapping[str, Any], config_text: ConfigText) -> bool:
    """Whether a (raw) scheduler asks for a tokenizer, by its field or by a plugin of its config."""
    if value_at(scheduler, "pool", "ref"):
        return False
    plugins = {"token-producer", "precise-prefix-cache-scorer"}
    return "tokenizer" in scheduler or not plugins.isdisjoint(plugin_types(scheduler, config_text))


def _workload_preset(prefix: str, workload: Any) -> list[str]:
    if value_at(workload, "worker") is None:
        return [f"{prefix}template"]
    parallelism = value_at(workload, "parallelism") or {}
    if "data" in parallelism or "dataLocal" in parallelism:
        return [f"{prefix}worker-data-parallel"]
    return [f"{prefix}worker-pipeline-parallel"] if "pipeline" in parallelism else []


def _context(service: LLMInferenceService, spec: Mapping[str, Any], settings: KServeSettings) -> dict[str, Any]:
    pool = value_at(spec, "router", "scheduler", "pool", "ref", "name")
    alpha = "v1alpha2" in settings.inferencePoolApis and not pool
    ingress, images = settings.ingress, settings.images
    return {
        "APIVersion": service.apiVersion,
        "Kind": service.kind,
        "ObjectMeta": dump(service.metadata),
        "Spec": spec,
        "GlobalConfig": {
            "SystemNamespace": SYSTEM_NAMESPACE,
            "IngressGatewayName": ingress.gateway_name,
            "IngressGatewayNamespace": ingress.gateway_namespace,
            "EnableTLS": ingress.enableLLMInferenceServiceTLS,
            "ModelBasedRoutingHeaderName": ingress.modelBasedRoutingHeaderName,
            "InferencePoolNamespacedName": f"{service.namespace}/{pool or names.inference_pool(service.name)}",
            "InferencePoolGroup": ALPHA_GROUP if alpha else GROUP,
            "VLLMImage": images.vllm,
            "EndpointPickerImage": images.endpointPicker,
            "RoutingSidecarImage": images.routingSidecar,
            "TokenizerImage": images.tokenizer,
        },
    }


def without_default_name(spec: Mapping[str, Any], service: str, bases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Drop ``model.name`` from a (raw) service spec if it is the webhook's default, the service's name, and a base
    config has a name: the controller prefers the config's."""
    if value_at(spec, "model", "name") != service or not any(value_at(base, "model", "name") for base in bases):
        return dict(spec)
    return {**spec, "model": {key: value for key, value in spec["model"].items() if key != "name"}}
