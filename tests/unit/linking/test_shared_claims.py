"""Several pods that share a claim of one node, where it is the user's own.

Not proved here: what is said of LLMKube's cache (``families/llmkube/test_checks.py``).
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.model import read
from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings

from ..families.kserve.services import manifest as kserve
from ..families.ome import helpers as ome

Found = list[tuple[str, str]]


def claim(*modes: str, name: str = "weights", namespace: str = "models") -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    spec = {"accessModes": list(modes), "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def found(*manifests: dict[str, Any]) -> Found:
    settings, problems = read(Settings, {})
    assert settings is not None, problems
    documents = [Document("x.yaml", index, 1, dict(data)) for index, data in enumerate(manifests, start=1)]
    findings = make_plan(documents, settings).findings
    return [(finding.path, finding.severity) for finding in findings if finding.code == "claim-of-one-node"]


MODEL = {"model": {"uri": "pvc://weights/model", "name": "m"}}
GROUP = {"parallelism": {"data": 2, "dataLocal": 1}, "worker": {"containers": [{"name": "main"}]}}


@pytest.mark.parametrize(
    ("spec", "modes", "expected"),
    [
        ({"replicas": 2}, ["ReadWriteOnce"], [("spec.replicas", "warning")]),
        ({"replicas": 2}, ["ReadWriteOncePod"], [("spec.replicas", "warning")]),
        ({"replicas": 2}, ["ReadWriteOnce", "ReadOnlyMany"], []),
        ({"replicas": 2}, ["ReadWriteMany"], []),
        ({"replicas": 1}, ["ReadWriteOnce"], []),
        ({"replicas": 1, **GROUP}, ["ReadWriteOnce"], [("spec.replicas", "warning")]),
        ({"prefill": {}}, ["ReadWriteOnce"], [("spec.replicas", "warning")]),
        ({"prefill": {}}, ["ReadWriteMany"], []),
        ({"prefill": {"replicas": 0}}, ["ReadWriteOnce"], []),
        (
            {"scaling": {"maxReplicas": 3, "keda": {"triggers": [{"type": "cpu", "metadata": {"value": "1"}}]}}},
            ["ReadWriteOnce"],
            [("spec.scaling.maxReplicas", "warning")],
        ),
    ],
)
def test_kserve(spec: dict[str, Any], modes: list[str], expected: Found) -> None:
    assert found(kserve({**MODEL, **spec}), claim(*modes)) == expected
    assert found(kserve({**MODEL, **spec})) == []


@pytest.mark.parametrize(("replicas", "expected"), [(2, [("spec.engine.maxReplicas", "warning")]), (1, [])])
def test_ome(replicas: int, expected: Found) -> None:
    model = {**ome.MODEL, "kind": "BaseModel", "metadata": {"name": "llama", "namespace": "llm"}}
    model["spec"] = {**model["spec"], "storage": {"storageUri": "pvc://weights/model"}}
    engine = {"minReplicas": 1, "maxReplicas": replicas}
    service = ome.service({"model": {"name": "llama", "kind": "BaseModel"}, "engine": engine})
    assert found(model, ome.RUNTIME, service, claim("ReadWriteOnce", namespace="llm")) == expected
