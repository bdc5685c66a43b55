"""A v1alpha2 pool written as v1. Not proved here: that a gateway treats both alike."""

from __future__ import annotations

from typing import Any

import pytest

from .helpers import ALPHA, ALPHA_SPEC, GA, alpha_pool, objective, planned, pool

PICKER = {"name": "epp", "group": "", "kind": "Service", "failureMode": "FailClose"}


@pytest.mark.parametrize(
    ("extension", "picker"),
    [
        ({"name": "epp"}, {**PICKER, "port": {"number": 9002}}),
        ({"name": "epp", "portNumber": 9100}, {**PICKER, "port": {"number": 9100}}),
        (
            {"name": "epp", "failureMode": "FailOpen"},
            {**PICKER, "failureMode": "FailOpen", "port": {"number": 9002}},
        ),
        ({"name": "epp", "group": "g.io", "kind": "Picker"}, {**PICKER, "group": "g.io", "kind": "Picker"}),
    ],
)
def test_extension_ref(extension: dict[str, Any], picker: dict[str, Any]) -> None:
    plan = planned(alpha_pool({**ALPHA_SPEC, "extensionRef": extension}), convertPools=True)
    assert plan.objects == (
        {
            "apiVersion": f"{GA}/v1",
            "kind": "InferencePool",
            "metadata": {"name": "llama", "namespace": "default"},
            "spec": {
                "endpointPickerRef": picker,
                "selector": {"matchLabels": {"app": "x"}},
                "targetPorts": [{"number": 8000}],
            },
        },
    )
    assert plan.findings == ()


def test_converted_pool_is_a_valid_v1_pool() -> None:
    (converted,) = planned(alpha_pool(ALPHA_SPEC), convertPools=True).objects
    assert planned(converted).objects == (converted,)


def test_off_by_default() -> None:
    (kept,) = planned(alpha_pool(ALPHA_SPEC)).objects
    assert kept["apiVersion"] == f"{ALPHA}/v1alpha2"
    assert kept["spec"]["extensionRef"] == PICKER


@pytest.mark.parametrize("selector", [{}, {f"k{i}": "v" for i in range(65)}])
def test_a_selector_that_v1_refuses(selector: dict[str, str]) -> None:
    plan = planned(alpha_pool({**ALPHA_SPEC, "selector": selector}), convertPools=True)
    assert [(f.path, f.severity) for f in plan.findings] == [("spec.selector", "error")]


def test_a_pool_without_spec() -> None:
    document = {key: value for key, value in alpha_pool({}).items() if key != "spec"}
    assert [f.path for f in planned(document, convertPools=True).findings] == ["spec"]
    assert planned(document).findings == ()


def test_a_pool_of_that_name_in_v1_already() -> None:
    v1 = pool({"selector": {"matchLabels": {"a": "b"}}, "targetPorts": [{"number": 1}], "endpointPickerRef": PICKER})
    v1["spec"]["endpointPickerRef"] = {**PICKER, "port": {"number": 1}}
    plan = planned(alpha_pool(ALPHA_SPEC), v1, convertPools=True)
    assert [f.code for f in plan.findings] == ["name-collision"]


def test_objectives_follow_their_pool() -> None:
    reference = {"name": "llama", "group": ALPHA}
    plan = planned(alpha_pool(ALPHA_SPEC), objective(reference), objective(reference, namespace="b"), convertPools=True)
    groups = {o["metadata"]["namespace"]: o["spec"]["poolRef"]["group"] for o in plan.objects if "poolRef" in o["spec"]}
    assert groups == {"default": GA, "b": ALPHA}
