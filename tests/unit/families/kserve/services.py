"""LLMInferenceServices for tests: the least that is accepted, and what a test adds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Any

from modelservices.families.kserve import presets
from modelservices.families.kserve.configs import effective
from modelservices.families.kserve.context import Known, Service
from modelservices.families.kserve.settings import KServeSettings
from modelservices.families.kserve.spec import LLMInferenceService, LLMInferenceServiceConfig
from modelservices.kubernetes.model import Manifest, read
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

Data = Mapping[str, Any]

TLS = {"ingress": {"enableLLMInferenceServiceTLS": True}}
MODEL = {"uri": "hf://org/model", "name": "org/model"}
SCHEDULER = {"router": {"scheduler": {}}}
ROUTER = {"router": {"route": {}, "gateway": {}, "scheduler": {}}}
DATA_PARALLEL = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": {"containers": [{"name": "main"}]}}
PREFILL = {"prefill": {}}


def manifest(
    spec: Data | None = None,
    *,
    name: str = "chat",
    namespace: str = "models",
    labels: Data | None = None,
    annotations: Data | None = None,
    api: str = "v1alpha2",
) -> dict[str, Any]:
    """A service with ``spec`` beside the model."""
    metadata = {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
    return {
        "apiVersion": f"serving.kserve.io/{api}",
        "kind": "LLMInferenceService",
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "spec": {"model": dict(MODEL), **(spec or {})},
    }


def config(spec: Data, name: str = "base", namespace: str = "models") -> dict[str, Any]:
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": name, "namespace": namespace},
        "spec": dict(spec),
    }


def main(**fields: Any) -> dict[str, Any]:
    """A pod spec that changes the main container."""
    return {"containers": [{"name": "main", **fields}]}


def plan(*manifests: Data, settings: Data | None = None) -> StackPlan:
    """The plan of manifests under ``settings.kserve``, without the warning that specs here request no GPU."""
    model, problems = read(Settings, {"kserve": dict(settings or {})})
    assert model is not None, problems
    documents = [Document("test.yaml", index, 1, dict(data)) for index, data in enumerate(manifests, start=1)]
    made = make_plan(documents, model)
    return replace(made, findings=tuple(finding for finding in made.findings if finding.code != "no-gpus"))


def rendered(*manifests: Data, settings: Data | None = None) -> RenderedComponent:
    (service,) = plan(*manifests, settings=settings).raise_for_errors().services
    return service


def objects(*manifests: Data, settings: Data | None = None) -> dict[str, Object]:
    """Every object by its role, the scheduler's as ``epp/role``."""
    service = rendered(*manifests, settings=settings)
    parts = {f"{part}/{role}": obj for part, inner in service.parts.items() for role, obj in inner.objects.items()}
    return {**service.objects, **parts}


def of(spec: Data | None = None, settings: Data | None = None, **metadata: Any) -> dict[str, Object]:
    """The objects of one service."""
    return objects(manifest(spec, **metadata), settings=settings)


def findings(*manifests: Data, settings: Data | None = None) -> list[tuple[str, str, str]]:
    """Path, severity and code of each finding."""
    return [(f.path, f.severity, f.code) for f in plan(*manifests, settings=settings).findings]


def refusals(*manifests: Data, settings: Data | None = None) -> list[tuple[str, str, str]]:
    """The same of the errors alone."""
    return [found for found in findings(*manifests, settings=settings) if found[1] == "error"]


def messages(*manifests: Data, settings: Data | None = None) -> list[str]:
    """``path: message`` of each finding."""
    return [f"{f.path}: {f.message}" for f in plan(*manifests, settings=settings).findings]


def service(*manifests: Data, settings: Data | None = None) -> Service:
    """The first manifest as rendering functions see it; the others around it."""
    options, problems = read(KServeSettings, dict(settings or {}))
    assert options is not None, problems
    models: list[Manifest] = []
    for data in manifests:
        kind = LLMInferenceService if data["kind"] == "LLMInferenceService" else LLMInferenceServiceConfig
        model, problems = read(kind, data)
        assert model is not None, problems
        models.append(model)
    first = models[0]
    assert isinstance(first, LLMInferenceService)
    configs = {(m.namespace, m.name): m for m in models if isinstance(m, LLMInferenceServiceConfig)}
    known = Known.of(models)
    found = effective(first, configs, options, partial(known.config_text, first.namespace))
    return Service.of(first, found, options, known)


def pod(obj: Object, template: str = "template") -> dict[str, Any]:
    """The pod spec of a Deployment, or of a LeaderWorkerSet's leaderTemplate or workerTemplate."""
    spec = obj["spec"]
    return (spec if template == "template" else spec["leaderWorkerTemplate"])[template]["spec"]


def container(pod_spec: Data, name: str = "main") -> dict[str, Any]:
    (found,) = [item for item in [*pod_spec["containers"], *pod_spec.get("initContainers", [])] if item["name"] == name]
    return found


def server(spec: Data | None = None, settings: Data | None = None, **metadata: Any) -> dict[str, Any]:
    """The main container of a single-node service."""
    return container(pod(of(spec, settings, **metadata)["decode-deployment"]))


def env(item: Data) -> dict[str, Any]:
    """A container's variables: the value, or where it comes from."""
    return {variable["name"]: variable.get("value", variable.get("valueFrom")) for variable in item.get("env", [])}


def script(item: Data) -> str:
    return item["command"][2]


def flags(item: Data) -> list[str]:
    """The lines of the last command of a start script."""
    lines = script(item).rpartition("exec ")[2].split(" \\\n")
    return [line.strip() for line in lines[1:]]


def same(left: Any, right: Any) -> bool:
    """Equal, the order of keys included."""
    return json.dumps(left) == json.dumps(right)


def volume(spec: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [item for item in spec["volumes"] if item["name"] == name]
    return found


def shipped_names() -> list[str]:
    """The full names of all presets."""
    found = [file.name for file in files(presets).iterdir()]
    return sorted(presets.PREFIX + name.removesuffix(".yaml") for name in found if name.endswith(".yaml"))
