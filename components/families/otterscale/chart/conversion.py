"""Converts values of the chart llm-d-modelservice to the ModelService that serves the same model in the same way.

Helm's template expressions are evaluated if they only name another value (``{{ .Values.modelArtifacts.name }}``). The
chart evaluates them in the model's URI, variables and further fields of pods; it passes arguments on unchanged.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....findings import Problem
from ....kubernetes.model import dump, dumps, read
from ....kubernetes.scalars import Plain
from ....kubernetes.secrets import secret_problems
from ....kubernetes.values import field_path, value_at, without_empty
from ..spec import API_VERSION, ModelService
from .devices import accelerator, with_devices
from .engine import engine
from .no_counterpart import lost, without_counterpart
from .roles import Serving, roles
from .values import ChartValues, Routing

IMAGE_TO_FILL_IN = "<model-image>"
"""Placeholder for the model's image; rendering rejects it and names its path."""
_NO_NAME = re.compile(r"[^a-z0-9]+")
_MAX_NAME = 55
"""The chart's limit: names of created objects are a little longer."""


class Options(NamedTuple):
    """What the values don't say: names, and the image that holds the model."""

    name: str = ""
    namespace: str = ""
    model_image: str = ""


def convert(data: Mapping[str, Any], options: Options) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The ModelService, None if there is an error, and the problems, with paths of the values.

    Problems of the ModelService itself have paths of the manifest, which begin with ``spec`` or ``metadata``.
    """
    secrets = secret_problems(data)
    pruned, lost = without_counterpart(data)
    named = options.name or _name(data)
    resolved, unresolved = evaluated(pruned, without_empty({"Name": named, "Namespace": options.namespace}))
    values, wrong = read(ChartValues, resolved, ignore_unknown=True)
    problems = [*secrets, *lost, *unresolved, *wrong]
    if values is None or any(problem.severity == "error" for problem in problems):
        return None, problems
    manifest, of_values = _model_service(values, options._replace(name=named))
    _, of_manifest = read(ModelService, manifest)
    problems += [*of_values, *of_manifest]
    return (None if any(problem.severity == "error" for problem in problems) else manifest), problems


def _name(data: Mapping[str, Any]) -> str:
    """The service's name: from the values, otherwise derived from the model's."""
    model = value_at(data, "modelArtifacts", "name")
    names = (data.get("fullnameOverride"), data.get("nameOverride"), str(model or "model").rpartition("/")[2])
    name = next(str(name) for name in names if name)
    return _NO_NAME.sub("-", name.lower()).strip("-")[:_MAX_NAME].rstrip("-") or "model"


def _model_service(values: ChartValues, options: Options) -> tuple[dict[str, Any], list[Problem]]:
    serving, problems = roles(values)
    devices, of_devices = accelerator(values, serving)
    made, of_engine = engine(values, serving)
    problems += [*of_devices, *of_engine, *_model_problems(values, options), *_pool_problems(values)]
    spec = {
        "model": _model(values, serving, options),
        "engine": made,
        "accelerator": {"type": devices.type},
        **{role.name: _role(role, with_devices(role, devices)) for role in serving},
        "routingProxy": _proxy(values.routing),
        "inferencePool": {"endpointPicker": {}},
        "httpRoute": _route(values.routing),
        "monitoring": _monitoring(serving),
    }
    problems += _monitoring_problems(serving)
    metadata = without_empty({"name": options.name, "namespace": options.namespace})
    kept = {name: value for name, value in spec.items() if value is not None}
    return {"apiVersion": API_VERSION, "kind": "ModelService", "metadata": metadata, "spec": kept}, problems


def _model(values: ChartValues, serving: list[Serving], options: Options) -> dict[str, Any]:
    artifacts = values.modelArtifacts
    scheme, _, reference = artifacts.uri.partition("://")
    image = options.model_image or (reference if scheme == "oci" else IMAGE_TO_FILL_IN)
    secrets = {
        secret.name: secret
        for role in serving
        for secret in [*role.values.imagePullSecrets, *role.values.extraConfig.imagePullSecrets]
    }
    return without_empty(
        {
            "name": artifacts.name,
            "image": image,
            "mountPath": artifacts.mountPath,
            "imagePullSecrets": dumps(list(secrets.values())),
        }
    )


def _model_problems(values: ChartValues, options: Options) -> Iterator[Problem]:
    uri, path = values.modelArtifacts.uri, "modelArtifacts.uri"
    if options.model_image:
        return
    if uri.startswith("oci://"):
        message = "becomes model.image, which each pod unpacks, so it must be a ModelPack as `kit pack` makes it"
        yield Problem(path, message, "info", "model-pack")
        return
    message = (
        f"{uri or 'the model'} has no counterpart, because a ModelService unpacks its model from a registry; pack it "
        f"(`kit import`, `kit push`) and convert again with --model-image, or replace {IMAGE_TO_FILL_IN} in what was "
        "written; KServe's LLMInferenceService takes hf:// and pvc:// as they are (spec.model.uri)"
    )
    yield Problem(path, message, "warning", "no-counterpart")


def _pool_problems(values: ChartValues) -> Iterator[Problem]:
    message = (
        "a ModelService already makes its InferencePool, endpoint picker and HTTPRoute; leave out the chart "
        "inferencepool"
    )
    yield Problem("routing", message, "info", "brings-pool")
    labels = {key: value for key, value in values.modelArtifacts.labels.items() if key != "llm-d.ai/inference-serving"}
    if labels:
        message = f"has no counterpart for {', '.join(labels)}, so your own InferencePool would not find the pods"
        yield Problem("modelArtifacts.labels", message, "warning", "no-counterpart")


def _role(role: Serving, resources: dict[str, Any]) -> dict[str, Any]:
    values = role.values
    types = values.acceleratorTypes
    by_type = {types.labelKey: types.labelValues[0]} if types.labelKey and len(types.labelValues) == 1 else {}
    return {
        "replicas": role.replicas,
        **without_empty(
            {
                "parallelism": role.sizes,
                "resources": resources,
                "nodeSelector": {**values.extraConfig.nodeSelector, **values.nodeSelector, **by_type},
                "tolerations": dumps([*values.extraConfig.tolerations, *values.tolerations]),
            }
        ),
    }


def _proxy(routing: Routing) -> dict[str, Any] | None:
    proxy = routing.proxy
    if not proxy.enabled:
        return None
    fields = dump(proxy)
    secure = {"secureProxy": fields.pop("secure")} if "secure" in fields else {}
    return {**{name: value for name, value in fields.items() if name != "enabled" and value != ""}, **secure}


def _route(routing: Routing) -> dict[str, Any] | None:
    if not routing.parentRefs:
        return None
    return {"gatewayRef": without_empty(dump(routing.parentRefs[0]))}


def _monitoring(serving: list[Serving]) -> dict[str, Any] | None:
    monitors = [role.monitor for role in serving if role.monitor.enabled]
    return {"podMonitor": without_empty(dump(monitors[0]))} if monitors else None


def _monitoring_problems(serving: list[Serving]) -> Iterator[Problem]:
    first = next((role for role in serving if role.monitor.enabled), None)
    for role in serving:
        if first and role.monitor != first.monitor:
            why = f"a ModelService has one setting for all its pods, here that of {first.name}"
            yield lost(f"{role.name}.monitoring.podmonitor", why)


_REFERENCE = re.compile(r"[\"']?\{\{-? *\.(Values|Release)\.([A-Za-z0-9_.]+) *(?:\| *quote *)?-?\}\}[\"']?")
_MAX_ROUNDS = 5
"""A referenced value may refer to another one."""
_AS_THEY_ARE = frozenset(["args", "command"])


def evaluated(values: Mapping[str, Any], release: Mapping[str, str]) -> tuple[Mapping[str, Any], list[Problem]]:
    """The values with their references filled in, and an error for each expression that is left. ``release`` has
    ``Name`` and, if it is known, ``Namespace``."""
    problems: list[Problem] = []
    return _walk(values, "", {"Values": values, "Release": release}, problems), problems


def _walk(value: Any, path: str, roots: Mapping[str, Any], problems: list[Problem]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: item if key in _AS_THEY_ARE else _walk(item, field_path(path, str(key)), roots, problems)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_walk(item, f"{path}[{index}]", roots, problems) for index, item in enumerate(value)]
    return _text(value, path, roots, problems) if isinstance(value, str) and "{{" in value else value


def _text(text: str, path: str, roots: Mapping[str, Any], problems: list[Problem]) -> str:
    for _ in range(_MAX_ROUNDS):
        text = _REFERENCE.sub(lambda reference: _named(reference, roots), text)
    if "{{" in text:
        message = f"has a template expression that is not evaluated here; write its value instead of {text}"
        problems.append(Problem(path, message, code="placeholder"))
    return Plain(text)


def _named(reference: re.Match[str], roots: Mapping[str, Any]) -> str:
    value = value_at(roots, reference[1], *reference[2].split("."))
    return value if isinstance(value, str) else reference[0]
