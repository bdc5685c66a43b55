"""Short ways to plan one service from a few lines of spec, as the command line would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from modelservices.findings import Finding, errors
from modelservices.kubernetes.model import read
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.manifests.documents import parse
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

REPOSITORY = {"source": "org/name", "format": "safetensors"}
API = "inference.llmkube.dev/v1alpha1"
SOURCE = "https://models.example.com/chat.gguf"
KEY = "38884ff0bd6ad087"
"""Folder of SOURCE in the cache."""

Spec = Mapping[str, Any]
NVIDIA = {"hardware": {"gpu": {"enabled": True, "count": 1}}}


def manifest(kind: str, name: str, **body: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ai"}
    return {"apiVersion": "v1" if kind == "PersistentVolumeClaim" else API, "kind": kind, "metadata": metadata, **body}


def plan(
    spec: Spec | None = None,
    model: Spec | None = None,
    settings: Spec | None = None,
    *,
    name: str = "chat",
    others: Sequence[dict[str, Any]] = (),
) -> StackPlan:
    """The plan of service ``chat`` with Model ``chat-q4``, both given by what differs from the shortest ones."""
    documents = [
        manifest("Model", "chat-q4", spec={"source": SOURCE, **(model or {})}),
        manifest("InferenceService", name, spec={"modelRef": "chat-q4", **(spec or {})}),
        *others,
    ]
    return plan_of(documents, settings)


def plan_of(documents: Sequence[dict[str, Any]], settings: Spec | None = None) -> StackPlan:
    read_settings, problems = read(Settings, {"llmkube": settings or {}})
    assert read_settings is not None, problems
    loaded, wrong = parse(yaml.safe_dump_all(documents), "test.yaml")
    return make_plan(loaded, read_settings, findings=wrong)


def rendered(
    spec: Spec | None = None, model: Spec | None = None, settings: Spec | None = None, **more: Any
) -> RenderedComponent:
    """The one service of a plan without errors."""
    (service,) = plan(spec, model, settings, **more).raise_for_errors().services
    return service


def deployment(
    spec: Spec | None = None, model: Spec | None = None, settings: Spec | None = None, **more: Any
) -> Object:
    return rendered(spec, model, settings, **more).objects["deployment"]


def pod(
    spec: Spec | None = None, model: Spec | None = None, settings: Spec | None = None, **more: Any
) -> dict[str, Any]:
    return deployment(spec, model, settings, **more)["spec"]["template"]["spec"]


def server(spec: Spec | None = None, model: Spec | None = None, settings: Spec | None = None, **more: Any):
    """The container of the inference server."""
    return pod(spec, model, settings, **more)["containers"][0]


def brief(findings: Sequence[Finding]) -> list[str]:
    """Findings as ``severity path code``, sorted; without the notes that an object is expected in the cluster."""
    told = (finding for finding in findings if finding.code != "existing")
    return sorted(f"{finding.severity} {finding.path} {finding.code}" for finding in told)


def error_paths(found: StackPlan) -> list[str]:
    return sorted(finding.path for finding in errors(found.findings))


def has_flag(words: Sequence[str], flag: str, value: str | None = None) -> bool:
    return flag in words and (value is None or words[words.index(flag) + 1] == value)


def found(spec: Any = None, model: Any = None, settings: Any = None, **more: Any) -> list[str]:
    """What is said of a service and its model, brief."""
    return brief(plan(spec, model, settings, **more).findings)
