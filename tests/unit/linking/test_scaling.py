"""Autoscalers that measure what pods don't request. Not proved here: that an HPA then changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.kserve.services import main

CPU = {"type": "cpu", "metadata": {"value": "80"}}
REQUESTED = {"requests": {"cpu": "2"}}


def found(trigger: dict[str, Any], *containers: dict[str, Any]) -> list[tuple[str, str]]:
    """The findings about a KServe service that KEDA scales by a trigger."""
    data = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "models"},
        "spec": {
            "model": {"uri": "hf://example/tiny", "name": "tiny"},
            "scaling": {"minReplicas": 1, "maxReplicas": 4, "keda": {"triggers": [trigger]}},
            "template": {"containers": list(containers)},
        },
    }
    findings = make_plan([Document("x.yaml", 1, 1, data)], Settings.model_validate({})).findings
    return [(each.path, each.message) for each in findings if each.code == "no-request"]


def server(**resources: Any) -> dict[str, Any]:
    return main(resources=resources)["containers"][0]


SIDE = {"name": "exporter", "image": "exporter:1"}


@pytest.mark.parametrize(
    ("trigger", "containers", "name"),
    [
        (CPU, [server()], "main"),
        (CPU, [server(limits={"nvidia.com/gpu": "1"})], "main"),
        (CPU, [server(**REQUESTED), SIDE], "exporter"),
        ({**CPU, "metricType": "Utilization"}, [server()], "main"),
        ({**CPU, "metadata": {"value": "80", "containerName": "exporter"}}, [server(**REQUESTED), SIDE], "exporter"),
    ],
)
def test_a_container_that_requests_none(trigger: dict[str, Any], containers: list[dict[str, Any]], name: str) -> None:
    message = (
        f"the autoscaler measures cpu against the pods' request, but the container {name} requests none, so nothing is "
        "scaled; add a cpu request"
    )
    assert found(trigger, *containers) == [("spec.scaling.keda.triggers[0].type", message)]


@pytest.mark.parametrize(
    ("trigger", "containers"),
    [
        (CPU, [server(**REQUESTED)]),
        (CPU, [server(limits={"cpu": "2"})]),
        ({**CPU, "metricType": "AverageValue"}, [server()]),
        ({**CPU, "metadata": {"value": "80", "containerName": "main"}}, [server(**REQUESTED), SIDE]),
        ({"type": "cron", "metadata": {"start": "0 8 * * *"}}, [server()]),
    ],
)
def test_what_is_measured_is_requested(trigger: dict[str, Any], containers: list[dict[str, Any]]) -> None:
    assert found(trigger, *containers) == []
