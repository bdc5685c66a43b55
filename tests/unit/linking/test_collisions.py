"""Ports of the nodes, of which a Service has each for itself.

Not proved here: two manifests that make one object, which are the families' tests.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.families.kserve import services as kserve
from tests.unit.families.llmkube.render import SOURCE, brief, manifest, plan_of

MODEL = manifest("Model", "m", spec={"source": SOURCE})


def service(name: str, **endpoint: Any) -> dict[str, Any]:
    return manifest("InferenceService", name, spec={"modelRef": "m", "endpoint": {"type": "NodePort", **endpoint}})


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({"nodePort": 30080}, ["error spec port-collision"]),
        ({"nodePort": 30080, "port": 9000}, ["error spec port-collision"]),
        ({"nodePort": 30081}, []),
        ({}, []),
    ],
)
def test_a_port_of_the_nodes_has_one_service(second: dict[str, Any], expected: list[str]) -> None:
    found = plan_of([MODEL, service("a", nodePort=30080), service("b", **second)]).findings
    assert brief(found) == expected
    assert all("the node port 30080, which InferenceService ai/a already uses" in finding.message for finding in found)


def test_one_service_in_two_versions_of_its_api_is_there_twice_and_nothing_more() -> None:
    versions = [kserve.manifest(api=api) for api in ("v1alpha1", "v1alpha2")]
    found = kserve.plan(*versions).findings
    assert [(finding.path, finding.code) for finding in found] == [("metadata.name", "duplicate-name")]
