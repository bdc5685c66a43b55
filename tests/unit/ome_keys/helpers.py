"""One service of each family that is not OME's, small and valid, and what planning it with some keys gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from modelservices.findings import Finding
from modelservices.kubernetes.model import read
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.manifests.documents import parse
from modelservices.ome_keys.vocabulary import vocabulary
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

RESOURCES = {"requests": {"cpu": "1"}}
LLMKUBE: dict[str, Any] = {
    "apiVersion": "inference.llmkube.dev/v1alpha1",
    "kind": "InferenceService",
    "metadata": {"name": "chat", "namespace": "llm"},
    "spec": {"modelRef": "m", "runtime": "vllm", "resources": {"cpu": "1"}},
}
MODEL: dict[str, Any] = {
    "apiVersion": "inference.llmkube.dev/v1alpha1",
    "kind": "Model",
    "metadata": {"name": "m", "namespace": "llm"},
    "spec": {"source": "org/model", "format": "safetensors"},
}
OTTERSCALE: dict[str, Any] = {
    "apiVersion": "model.otterscale.io/v1alpha1",
    "kind": "ModelService",
    "metadata": {"name": "chat", "namespace": "llm"},
    "spec": {
        "model": {"name": "m", "image": "registry.example/m:1"},
        "engine": {"image": "vllm/vllm-openai:v1"},
        "accelerator": {"type": "nvidia"},
        "decode": {"resources": RESOURCES},
        "prefill": {"resources": RESOURCES},
        "routingProxy": {},
    },
}
KSERVE: dict[str, Any] = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "chat", "namespace": "llm"},
    "spec": {
        "model": {"uri": "hf://org/model", "name": "m"},
        "template": {"containers": [{"name": "main", "resources": RESOURCES}]},
        "router": {"scheduler": {}, "route": {}},
    },
}
KSERVE_GROUP: dict[str, Any] = {
    **KSERVE,
    "spec": {
        "model": {"uri": "hf://org/model", "name": "m"},
        "parallelism": {"data": 2, "dataLocal": 1},
        "template": {"containers": [{"name": "main", "resources": RESOURCES}]},
        "worker": {"containers": [{"name": "main", "resources": RESOURCES}]},
    },
}
SERVICES = {"llmkube": LLMKUBE, "otterscale": OTTERSCALE, "kserve": KSERVE, "kserve-group": KSERVE_GROUP}
"""By a short name; those of LLMKube need MODEL beside them."""
MAIN = {
    "llmkube": "deployment",
    "otterscale": "decode-deployment",
    "kserve": "decode-deployment",
    "kserve-group": "decode-group",
}
"""The role of each one's main workload."""


def with_keys(manifest: Mapping[str, Any], keys: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """The manifest with documented keys, each in its place, and with further fields of the spec."""
    metadata = dict(manifest["metadata"])
    for key, value in keys.items():
        entry = vocabulary().entries.get(key)
        place = f"{entry.place if entry else 'annotation'}s"
        metadata[place] = {**metadata.get(place, {}), key: value}
    return {**manifest, "metadata": metadata, "spec": {**manifest["spec"], **spec}}


def planned(manifest: Mapping[str, Any], *, settings: Mapping[str, Any] | None = None) -> StackPlan:
    """The plan of a service; ``settings`` are those of all families."""
    others = [MODEL] if manifest["apiVersion"].startswith("inference.llmkube") else []
    documents, findings = parse(yaml.safe_dump_all([*others, dict(manifest)]), "x.yaml")
    model, problems = read(Settings, dict(settings or {}))
    assert model is not None, problems
    return make_plan(documents, model, findings=findings)


def rendered(manifest: Mapping[str, Any], *, settings: Mapping[str, Any] | None = None) -> RenderedComponent:
    (service,) = planned(manifest, settings=settings).raise_for_errors().services
    return service


def findings_of(plan: StackPlan, *codes: str) -> list[tuple[str, str, str]]:
    """Path, severity and code of the findings, of some codes where they are given."""
    return [(f.path, f.severity, f.code) for f in plan.findings if not codes or f.code in codes]


def about(plan: StackPlan, key: str) -> list[Finding]:
    """The findings that are about a key or name it."""
    return [f for f in plan.findings if key in (f.key or "") or key in f.path or key in f.message]
