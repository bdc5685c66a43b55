"""The setting of every family for pods that take long to start reaches probes, deadlines and the waiting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelservices.kubernetes.pod_templates import containers_of
from modelservices.kubernetes.rollout import MARGIN_SECONDS, rollout_seconds, startup_seconds
from modelservices.kubernetes.startup import StartupSettings
from modelservices.planning.settings import Settings
from tests.conformance.reference import plan_case
from tests.unit.families.ome.helpers import planned

CASES = Path(__file__).parents[2] / "conformance"
SERVICES = {
    "llmkube": ("llmkube", "endpoint-containerport-mismatch", 1800),
    "otterscale": ("otterscale", "decode-minimal", 1800),
    "kserve": ("kserve", "s01-single-no-router", 600),
    "ome": ("ome", "minimal", 1800),
}


OME = [
    {
        "apiVersion": "ome.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "chat", "namespace": "inference"},
        "spec": {
            "engine": {
                "runner": {"name": "ome-container", "image": "vllm/vllm-openai:v0.25.0", "args": ["--model", "m"]}
            }
        },
    }
]


def deployments(family: str, **startup: int) -> list[tuple[dict[str, Any], StartupSettings]]:
    if family == "ome":
        plan = planned(*OME, settings={"startup": startup}).raise_for_errors()
    else:
        folder, case, _ = SERVICES[family]
        plan = plan_case(
            [CASES / folder / "cases" / case / "input.yaml"], {family: {"startup": startup}}
        ).raise_for_errors()
    service = plan.services[0]
    return [(obj, service.startup) for obj in service.objects.values() if obj["kind"] == "Deployment"]


@pytest.mark.parametrize("family", SERVICES)
def test_without_the_setting_the_engines_own_budget_holds(family: str) -> None:
    (deployment, limits), *_ = deployments(family)
    assert startup_seconds(deployment) == SERVICES[family][2]
    assert (limits.unschedulableSeconds, limits.errorSeconds, limits.crashes) == (600, 30, 3)


@pytest.mark.parametrize("family", SERVICES)
def test_a_budget_gives_the_startup_probe_as_many_attempts(family: str) -> None:
    (deployment, limits), *_ = deployments(family, budgetSeconds=7195, unschedulableSeconds=60, crashes=5)
    probes = [
        container.body["startupProbe"] for container in containers_of(deployment) if "startupProbe" in container.body
    ]
    assert [probe["failureThreshold"] for probe in probes] == [720]
    assert deployment["spec"]["progressDeadlineSeconds"] == rollout_seconds(deployment) == 7200 + MARGIN_SECONDS
    assert (limits.unschedulableSeconds, limits.errorSeconds, limits.crashes) == (60, 30, 5)
    assert Settings().kserve.startup.budgetSeconds is None
