"""Planning manifests written as Python mappings."""

from __future__ import annotations

from typing import Any

import yaml

from modelservices.kubernetes.model import read
from modelservices.manifests.documents import parse
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

GA = "inference.networking.k8s.io"
ALPHA = "inference.networking.x-k8s.io"


def planned(*objects: dict[str, Any], **settings: Any) -> StackPlan:
    """The plan of objects under ``settings.inferenceExtension``."""
    documents, findings = parse(yaml.safe_dump_all(objects), "x.yaml")
    model, problems = read(Settings, {"inferenceExtension": settings})
    assert model is not None, problems
    return make_plan(documents, model, findings=findings)


def alpha_pool(spec: dict[str, Any], name: str = "llama") -> dict[str, Any]:
    return {"apiVersion": f"{ALPHA}/v1alpha2", "kind": "InferencePool", "metadata": {"name": name}, "spec": spec}


def pool(spec: dict[str, Any], name: str = "llama") -> dict[str, Any]:
    return {"apiVersion": f"{GA}/v1", "kind": "InferencePool", "metadata": {"name": name}, "spec": spec}


def objective(reference: dict[str, Any], name: str = "gold", namespace: str = "default") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    head = {"apiVersion": f"{ALPHA}/v1alpha2", "kind": "InferenceObjective", "metadata": metadata}
    return {**head, "spec": {"poolRef": reference}}


ALPHA_SPEC = {"selector": {"app": "x"}, "targetPortNumber": 8000, "extensionRef": {"name": "epp"}}
SPEC = {
    "selector": {"matchLabels": {"app": "x"}},
    "targetPorts": [{"number": 8000}],
    "endpointPickerRef": {"name": "epp", "port": {"number": 9002}},
}
