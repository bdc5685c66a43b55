"""Which pools the services of a stack make, for objectives. Not proved here: that a gateway honours objectives."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.model import read
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.inference_extension.helpers import ALPHA, GA, objective
from tests.unit.families.kserve import services as kserve
from tests.unit.families.otterscale import services as otterscale

LONG = "a-name-that-kserve-has-to-cut-because-of-what-its-children-add"


def planned(*manifests: dict[str, Any]) -> StackPlan:
    return make_plan([Document("x.yaml", index, 1, data) for index, data in enumerate(manifests, 1)], Settings())


def unknown(plan: StackPlan) -> list[tuple[str, str]]:
    return [(found.path, found.message.split(";")[0]) for found in plan.findings if found.code == "unknown-pool"]


@pytest.mark.parametrize("name", ["chat", LONG])
def test_the_pool_of_a_kserve_service(name: str) -> None:
    service = kserve.manifest(kserve.SCHEDULER, name=name)
    (pool,) = [obj for obj in planned(service).all_objects() if obj["kind"] == "InferencePool"]
    reference = {"name": pool["metadata"]["name"], "group": GA}
    assert unknown(planned(objective(reference, namespace="models"), service)) == []


def test_a_long_name_is_shortened() -> None:
    """What the fault was about: the pool is not called after the service's full name."""
    service = kserve.manifest(kserve.SCHEDULER, name=LONG)
    wanted = objective({"name": f"{LONG}-inference-pool", "group": GA}, namespace="models")
    assert unknown(planned(wanted, service)) == [
        ("spec.poolRef.name", f"no manifest makes the InferencePool models/{LONG}-inference-pool")
    ]


def test_the_pool_of_an_otterscale_service() -> None:
    wanted = objective({"name": "chat", "group": GA}, namespace="models")
    assert unknown(planned(wanted, otterscale.manifest())) == []


def test_a_pool_of_the_other_group() -> None:
    wanted = objective({"name": "chat", "group": ALPHA}, namespace="models")
    assert unknown(planned(wanted, otterscale.manifest())) == [
        ("spec.poolRef.group", f"the InferencePool chat belongs to the group {GA}")
    ]


def test_a_service_without_a_scheduler_makes_no_pool() -> None:
    wanted = objective({"name": "chat-inference-pool", "group": GA}, namespace="models")
    assert unknown(planned(wanted, kserve.manifest())) == [
        ("spec.poolRef.name", "no manifest makes the InferencePool models/chat-inference-pool")
    ]


@pytest.mark.parametrize(
    "service",
    [
        kserve.manifest(kserve.SCHEDULER, annotations={"serving.kserve.io/stop": "true"}),
        kserve.manifest({**kserve.SCHEDULER, "baseRefs": [{"name": "nobody"}]}),
    ],
    ids=["stopped", "with an error"],
)
def test_a_service_that_makes_nothing_now_may_have_the_pool(service: dict[str, Any]) -> None:
    wanted = objective({"name": "chat-inference-pool", "group": GA}, namespace="models")
    assert unknown(planned(wanted, service)) == []
    elsewhere = objective({"name": "chat-inference-pool", "group": GA}, namespace="other")
    assert len(unknown(planned(elsewhere, service))) == 1


@pytest.mark.parametrize("spec", [None, "x", {"poolRef": "x"}, {"poolRef": {}}, {"poolRef": {"name": ["x"]}}])
def test_an_objective_that_is_passed_through_may_be_of_any_shape(spec: Any) -> None:
    kind = {"apiVersion": "llm-d.ai/v1alpha2", "kind": "InferenceObjective"}
    settings, problems = read(Settings, {"passthrough": [kind]})
    assert settings is not None, problems
    obj = {**kind, "metadata": {"name": "gold"}, "spec": spec}
    assert make_plan([Document("x.yaml", 1, 1, obj)], settings).findings == ()
