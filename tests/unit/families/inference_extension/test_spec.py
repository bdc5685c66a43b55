"""What the kinds accept beyond the reference cases, and the advice given where a manifest follows another version.

Not proved here: agreement with the CRDs, which tests/conformance compares.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.inference_extension.spec import AlphaInferencePool
from modelservices.kubernetes.model import read
from modelservices.kubernetes.scalars import Opaque
from modelservices.planning.plan import StackPlan

from .helpers import ALPHA, ALPHA_SPEC, SPEC, alpha_pool, objective, planned, pool


def messages(plan: StackPlan) -> dict[str, str]:
    return {finding.path: finding.message for finding in plan.findings}


PICKER = "write extensionRef: {name: <Service of the endpoint picker>, portNumber: 9002}"


def test_a_pool_written_as_the_document_says() -> None:
    spec = {"selector": {"app": "x"}, "targetPortNumber": 8000, "endpointPickerConfig": {"image": "epp"}}
    assert messages(planned(alpha_pool(spec))) == {
        "spec.endpointPickerConfig": f"is not a known field: no version of InferencePool has it, {PICKER}",
        "spec.extensionRef": f"is required: {PICKER}, the endpoint picker that chooses the pod for each request",
    }


@pytest.mark.parametrize(
    ("document", "path", "advice"),
    [
        (pool({**SPEC, "extensionRef": {}}), "spec.extensionRef", "in v1 write endpointPickerRef"),
        (pool({**SPEC, "targetPortNumber": 1}), "spec.targetPortNumber", "write targetPorts: [{number: <port>}]"),
        (pool({**SPEC, "appProtocol": "http"}), "spec.appProtocol", "this program covers 1.2"),
        (alpha_pool({**ALPHA_SPEC, "targetPorts": []}), "spec.targetPorts", "one targetPortNumber"),
        (alpha_pool({**ALPHA_SPEC, "endpointPickerRef": {}}), "spec.endpointPickerRef", "write extensionRef"),
        (objective({"name": "p", "namespace": "b"}), "spec.poolRef.namespace", "remove the field"),
    ],
)
def test_advice(document: dict[str, Any], path: str, advice: str) -> None:
    assert advice in messages(planned(document))[path]


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"name": "Llama"}, "metadata.name"),
        ({"name": "a" * 254}, "metadata.name"),
        ({"name": "a..b"}, "metadata.name"),
        ({"name": "a", "namespace": "b.c"}, "metadata.namespace"),
        ({"name": "a", "labels": {"x": "-bad-"}}, "metadata.labels"),
        ({"name": "a", "labels": {"x/y/z": "v"}}, "metadata.labels"),
        ({"name": "a", "annotations": {"-": "v"}}, "metadata.annotations"),
    ],
)
def test_metadata(metadata: dict[str, Any], path: str) -> None:
    document = {"apiVersion": f"{ALPHA}/v1alpha1", "kind": "InferencePoolImport", "metadata": metadata}
    assert list(messages(planned(document))) == [path]


def test_a_dumped_object() -> None:
    metadata = {
        "name": "llama",
        "uid": "1",
        "labels": {"team": "a"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "kept"},
    }
    plan = planned({**pool(SPEC), "metadata": metadata, "status": {"parents": []}})
    assert plan.findings == ()
    assert plan.objects[0]["metadata"] == {
        "name": "llama",
        "namespace": "default",
        "labels": {"team": "a"},
        "annotations": {"note": "kept"},
    }
    assert "status" not in plan.objects[0]


def test_the_name_of_the_endpoint_picker_may_be_an_output() -> None:
    name = Opaque("later")
    document = alpha_pool({**ALPHA_SPEC, "extensionRef": {"name": name}})
    manifest, problems = read(AlphaInferencePool, document)
    assert problems == [] and manifest is not None and manifest.spec is not None
    assert manifest.spec.extensionRef.name is name


@pytest.mark.parametrize("spec", [[], 1, "x", None, {"poolRef": []}, {"poolRef": {"name": {}}}, {"priority": []}])
def test_garbage_is_refused_without_a_traceback(spec: Any) -> None:
    document = {**objective({}), "spec": spec}
    assert all(finding.path.startswith("spec") for finding in planned(document).findings)


def test_unknown_fields_can_be_ignored() -> None:
    plan = planned(pool({**SPEC, "appProtocol": "http"}), ignoreUnknown=True)
    assert [(f.path, f.severity) for f in plan.findings] == [("spec.appProtocol", "warning")]
    assert "appProtocol" not in plan.objects[0]["spec"]


def test_the_objective_of_the_llm_d_group_is_read_and_written_as_the_older_one() -> None:
    document = objective({"name": "chat"}, namespace="team-a") | {"apiVersion": "llm-d.ai/v1alpha2"}
    plan = planned(document)
    (made,) = plan.all_objects()
    assert (made["apiVersion"], made["spec"]["poolRef"]["name"]) == ("llm-d.ai/v1alpha2", "chat")
    assert [found.code for found in plan.findings] == ["unknown-pool"]
    document["spec"]["priority"] = "100"
    assert sorted(messages(planned(document))) == ["spec.poolRef.name", "spec.priority"]
