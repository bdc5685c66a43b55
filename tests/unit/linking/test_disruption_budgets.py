"""PodDisruptionBudgets that let no pod be evicted, rendered and beside the services.

Not proved here: what an eviction is answered (tests/integration has no kubelets that are drained).
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


def warned(*manifests: dict[str, Any]) -> list[tuple[str, str]]:
    settings, problems = read(Settings, {})
    assert settings is not None, problems
    documents = [Document("x.yaml", index, 1, dict(data)) for index, data in enumerate(manifests, start=1)]
    findings = make_plan(documents, settings).findings
    return [(finding.object.split()[0], finding.path) for finding in findings if finding.code == "blocks-drain"]


def budget(spec: dict[str, Any], namespace: str = "models") -> dict[str, Any]:
    metadata = {"name": "chat", "namespace": namespace}
    labels = {"matchLabels": {"app.kubernetes.io/name": "chat"}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": {"selector": labels, **spec},
    }


@pytest.mark.parametrize(
    ("bounds", "blocks"),
    [
        ({"minReplicas": 1}, False),
        ({"minReplicas": 1, "minAvailable": 1}, True),
        ({"minReplicas": 2, "minAvailable": 1}, False),
        ({"minReplicas": 2, "minAvailable": "51%"}, True),
        ({"minReplicas": 2, "minAvailable": "50%"}, False),
        ({"minReplicas": 2, "maxUnavailable": 0}, True),
        ({"minReplicas": 2, "maxUnavailable": "1%"}, False),
        ({"minReplicas": 2, "minAvailable": "100%"}, True),
    ],
)
def test_budgets_of_ome(bounds: dict[str, Any], blocks: bool) -> None:
    found = warned(
        ome.MODEL, ome.RUNTIME, ome.service({"model": {"name": "llama"}, "engine": {"maxReplicas": 3, **bounds}})
    )
    assert found == ([("InferenceService", "metadata.name")] if blocks else [])


@pytest.mark.parametrize(
    ("replicas", "spec", "namespace", "blocks"),
    [
        (1, {"minAvailable": 1}, "models", True),
        (2, {"minAvailable": 1}, "models", False),
        (2, {"minAvailable": 2}, "models", True),
        (1, {"maxUnavailable": 1}, "models", False),
        (1, {"minAvailable": 1}, "other", False),
        (0, {"minAvailable": 1}, "models", False),
        (1, {"minAvailable": 1, "selector": {"matchLabels": {"app": "other"}}}, "models", False),
    ],
)
def test_budgets_beside_services(replicas: int, spec: dict[str, Any], namespace: str, blocks: bool) -> None:
    found = warned(kserve({"replicas": replicas}), budget(spec, namespace))
    assert found == ([("PodDisruptionBudget", "spec")] if blocks else [])
