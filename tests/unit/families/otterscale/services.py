"""ModelServices for tests: the least that is accepted, and what a test adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelservices.kubernetes.model import read
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

PICKER = {"inferencePool": {"endpointPicker": {}}}
MONITORING = {"monitoring": {"podMonitor": {"enabled": True}}}
PREFILL = {"prefill": {}, "routingProxy": {}}


def manifest(spec: Mapping[str, Any] | None = None, *, name: str = "chat", namespace: str = "models") -> dict[str, Any]:
    """A ModelService with ``spec`` over the least that is accepted."""
    least = {
        "model": {"name": "org/model", "image": "registry.example.com/model:1"},
        "engine": {},
        "accelerator": {"type": "nvidia"},
        "decode": {},
    }
    return {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**least, **(spec or {})},
    }


def plan(*manifests: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> StackPlan:
    """The plan of manifests under ``settings.otterscale``."""
    model, problems = read(Settings, {"otterscale": dict(settings or {})})
    assert model is not None, problems
    documents = [Document("test.yaml", index, 1, dict(data)) for index, data in enumerate(manifests, start=1)]
    return make_plan(documents, model)


def rendered(spec: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None) -> RenderedComponent:
    (service,) = plan(manifest(spec), settings=settings).raise_for_errors().services
    return service


def objects(spec: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None) -> dict[str, Object]:
    """Every object by its role, the picker's as ``epp/role``."""
    service = rendered(spec, settings)
    return {**service.objects, **{f"epp/{role}": obj for role, obj in service.parts["epp"].objects.items()}}


def pod(obj: Object) -> dict[str, Any]:
    return obj["spec"]["template"]["spec"]


def container(obj: Object, name: str) -> dict[str, Any]:
    spec = pod(obj)
    (found,) = [item for item in [*spec["containers"], *spec.get("initContainers", [])] if item["name"] == name]
    return found


def findings(
    spec: Mapping[str, Any] | None = None, *, settings: Mapping[str, Any] | None = None, name: str = "chat"
) -> list[tuple[str, str, str]]:
    """Path, severity and code of each finding."""
    found = plan(manifest(spec, name=name), settings=settings).findings
    return [(finding.path, finding.severity, finding.code) for finding in found]
