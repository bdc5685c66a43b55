"""Planning OME manifests written as Python mappings, and looking into what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from modelservices.kubernetes.model import read
from modelservices.manifests.documents import parse
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

MODEL: dict[str, Any] = {
    "apiVersion": "ome.io/v1beta1",
    "kind": "ClusterBaseModel",
    "metadata": {"name": "llama"},
    "spec": {
        "modelFormat": {"name": "safetensors", "version": "1.0.0"},
        "modelFramework": {"name": "transformers", "version": "4.45.0"},
        "storage": {"path": "/mnt/models/llama"},
        "vendor": "meta",
    },
}
RUNNER: dict[str, Any] = {
    "name": "ome-container",
    "image": "vllm/vllm-openai:v1",
    "ports": [{"containerPort": 8080, "name": "http1"}],
}
RUNTIME: dict[str, Any] = {
    "apiVersion": "ome.io/v1beta1",
    "kind": "ClusterServingRuntime",
    "metadata": {"name": "vllm"},
    "spec": {
        "supportedModelFormats": [
            {
                "modelFormat": {"name": "safetensors", "version": "1.0.0"},
                "modelFramework": {"name": "transformers", "version": "4.45.0"},
                "autoSelect": True,
                "priority": 1,
            }
        ],
        "engineConfig": {"runner": RUNNER},
        "decoderConfig": {"runner": RUNNER},
        "routerConfig": {"runner": {**RUNNER, "name": "router", "image": "router:1"}},
    },
}


def manifest(
    kind: str, spec: Mapping[str, Any], *, labels: Any = None, annotations: Any = None, name: str = "chat"
) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": "llm"}
    metadata |= {field: value for field, value in (("labels", labels), ("annotations", annotations)) if value}
    return {"apiVersion": "ome.io/v1beta1", "kind": kind, "metadata": metadata, "spec": dict(spec)}


def service(spec: Mapping[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """An InferenceService of the model and runtime above."""
    given = {"model": {"name": "llama"}, "engine": {"minReplicas": 1, "maxReplicas": 2}} if spec is None else spec
    return manifest("InferenceService", given, **metadata)


def planned(*objects: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> StackPlan:
    """The plan of objects under ``settings.ome``."""
    documents, findings = parse(yaml.safe_dump_all(map(dict, objects)), "x.yaml")
    model, problems = read(Settings, {"ome": dict(settings or {})})
    assert model is not None, problems
    return make_plan(documents, model, findings=findings)


def with_platform(*objects: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> StackPlan:
    return planned(MODEL, RUNTIME, *objects, settings=settings)


def objects(plan: StackPlan) -> dict[str, dict[str, Any]]:
    """Objects by ``Kind name``; a Knative Service as ``KnativeService name``."""
    found = {}
    for obj in plan.raise_for_errors().all_objects():
        kind = "KnativeService" if obj["apiVersion"].startswith("serving.knative") else obj["kind"]
        found[f"{kind} {obj['metadata']['name']}"] = obj
    return found


def pod(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The pod template of a Deployment, Job, Knative Service, or a JobSet's first replicated job."""
    spec = obj["spec"]
    if "replicatedJobs" in spec:
        spec = spec["replicatedJobs"][0]["template"]["spec"]
    return spec["template"]


def main(obj: Mapping[str, Any]) -> dict[str, Any]:
    return pod(obj)["spec"]["containers"][0]


def env(obj: Mapping[str, Any]) -> dict[str, Any]:
    return {entry["name"]: entry.get("value") for entry in main(obj).get("env", [])}


def problems(plan: StackPlan) -> list[tuple[str, str, str]]:
    """Path, severity and code of each finding that is not about a key."""
    return [(f.path, f.severity, f.code) for f in plan.findings if f.key is None]


def engine(spec: dict[str, Any], *, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    return objects(with_platform(service({"model": {"name": "llama"}, "engine": spec}, **metadata), settings=settings))


def runtime(spec: dict[str, Any], name: str = "vllm", annotations: Any = None) -> dict[str, Any]:
    """A ServingRuntime with this spec."""
    metadata = {"name": name, **({"annotations": annotations} if annotations else {})}
    return {**RUNTIME, "metadata": metadata, "spec": spec}
