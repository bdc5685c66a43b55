"""Two pools with one endpoint picker. Not proved here: what a picker answers for a pool that it does not watch."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.kserve import services as kserve

GA, ALPHA = "inference.networking.k8s.io/v1", "inference.networking.x-k8s.io/v1alpha2"


def pool(name: str, picker: str, api: str = GA, namespace: str = "models", **reference: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"m": name}},
        "targetPorts": [{"number": 8000}],
        "endpointPickerRef": {"name": picker, "port": {"number": 9002}, **reference},
    }
    if api == ALPHA:
        spec = {"selector": {"m": name}, "targetPortNumber": 8000, "extensionRef": {"name": picker, **reference}}
    return {
        "apiVersion": api,
        "kind": "InferencePool",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def shared(*manifests: dict[str, Any]) -> list[tuple[str, str, str]]:
    plan = make_plan([Document("x.yaml", index, 1, data) for index, data in enumerate(manifests, 1)], Settings())
    return [(found.object, found.path, found.severity) for found in plan.findings if found.code == "shared-picker"]


@pytest.mark.parametrize(("api", "field"), [(GA, "endpointPickerRef"), (ALPHA, "extensionRef")])
def test_the_second_pool_is_warned_of(api: str, field: str) -> None:
    found = shared(pool("one", "epp"), pool("two", "epp", api))
    assert found == [("InferencePool models/two", f"spec.{field}.name", "warning")]


@pytest.mark.parametrize(
    "other",
    [
        pool("two", "other"),
        pool("two", "epp", namespace="elsewhere"),
        pool("two", "epp", group="example.com", kind="Picker"),
        pool("one", "epp", ALPHA),
    ],
)
def test_pickers_that_are_not_shared(other: dict[str, Any]) -> None:
    assert shared(pool("one", "epp"), other) == []


@pytest.mark.parametrize("turned", [False, True])
def test_the_picker_that_a_service_makes_is_its_own_pools(turned: bool) -> None:
    manifests = [kserve.manifest(kserve.SCHEDULER), pool("two", "chat-epp-service")]
    found = shared(*(reversed(manifests) if turned else manifests))
    assert found == [("InferencePool models/two", "spec.endpointPickerRef.name", "warning")]


def test_a_service_s_own_pool_is_said_where_its_manifest_has_it() -> None:
    reference = {"endpointPickerRef": {"name": "chat-epp-service", "port": {"number": 9002}}}
    spec = {"router": {"scheduler": {"pool": {"spec": reference}}}}
    found = shared(kserve.manifest(kserve.SCHEDULER), kserve.manifest(spec, name="two"))
    assert found == [("LLMInferenceService models/two", "spec.router.scheduler.pool", "warning")]
