"""The reference cases of OtterScale: rendering, errors, status, transitions, deletion.

Transitions and deletions compare the rendered objects before and after. The integration tests show that Pulumi deletes
removed objects and replaces no others. The unpack script is run in tests/unit, not compared.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from modelservices.families.otterscale.labels import DECODE, PREFILL
from modelservices.families.otterscale.status import PICKER, Watched, observe
from modelservices.findings import errors
from modelservices.kubernetes.objects import key
from modelservices.planning.plan import StackPlan
from tests.conformance.otterscale_objects import compare, differences, masked
from tests.conformance.reference import cases, departures, load_yaml, plan_case, unexpected

FAMILY = "otterscale"
CASES = {path.name: load_yaml(path / "case.yaml")[0]["kind"] for path in cases(FAMILY)}


def folder(case: str) -> Path:
    return next(path for path in cases(FAMILY) if path.name == case)


def of_kind(*kinds: str) -> list[str]:
    return [case for case, kind in CASES.items() if kind in kinds]


def plan(case: str, *, previous: bool = False) -> StackPlan:
    where = folder(case)
    manifest = where / ("previous.yaml" if previous else "input.yaml")
    operator = where / "previous-operator.yaml" if previous else where / "operator.yaml"
    settings = load_yaml(operator if operator.exists() else where / "operator.yaml")[0]
    return plan_case([manifest], {"otterscale": settings})


@pytest.mark.parametrize("case", of_kind("render", "transition"))
def test_rendering(case: str) -> None:
    planned = plan(case)
    if departures(FAMILY, case).refused:
        assert errors(planned.findings)
        return
    planned.raise_for_errors()
    found = differences(masked(planned.all_objects()), load_yaml(folder(case) / "expected.yaml"))
    assert unexpected(FAMILY, case, found) == []


@pytest.mark.parametrize("case", of_kind("refuse"))
def test_refusal(case: str) -> None:
    listed = (folder(case) / "error.txt").read_text().splitlines()[1:]
    assert {finding.path for finding in errors(plan(case).findings)} == {line.split("\t")[0] for line in listed}


@pytest.mark.parametrize("case", of_kind("transition"))
def test_transition_removes(case: str) -> None:
    before = {key(obj) for obj in plan(case, previous=True).raise_for_errors().all_objects()}
    after = {key(obj) for obj in plan(case).raise_for_errors().all_objects()}
    assert before - after == removed(case)
    assert after < before


@pytest.mark.parametrize("case", of_kind("delete"))
def test_deletion_leaves_no_cluster_scoped_object(case: str) -> None:
    """Upstream's finalizer removes objects without owner references; Pulumi removes all objects, including these."""
    ours = {key(obj) for obj in plan(case).raise_for_errors().all_objects()}
    assert {identity for identity in ours if not identity.namespace} == removed(case)


@pytest.mark.parametrize("case", of_kind("status"))
def test_status(case: str) -> None:
    """The case's status, without an endpoint picker in the cluster."""
    assert unexpected(FAMILY, case, status_differences(case, {})) == []


@pytest.mark.parametrize("case", of_kind("status"))
def test_status_with_a_ready_picker(case: str) -> None:
    assert status_differences(case, {"epp/deployment": {"readyReplicas": 1}}) == []


def status_differences(case: str, picker: dict[str, dict[str, int]]) -> list[str]:
    """Differences between our status and the case's. Desired counts come from the Deployments in the cluster."""
    service = load_yaml(folder(case) / "input.yaml")[0]
    children = {child["metadata"]["name"]: child for child in load_yaml(folder(case) / "children.yaml")}
    watched, live = [], dict(picker)
    for role in [DECODE, *([PREFILL] if "prefill" in service["spec"] else [])]:
        child = children.get(f"{service['metadata']['name']}-{role}")
        watched.append(Watched(role, f"{role}-deployment", child["spec"]["replicas"] if child else 0))
        if child:
            live[f"{role}-deployment"] = child["status"]
    status = observe([*watched, Watched(PICKER, "epp/deployment", 1)], "", live)
    ours = {"phase": status.phase, "condition": asdict(status.conditions[0]), **status.details}
    reference = load_yaml(folder(case) / "status.yaml")[0]
    return list(compare("", {name: ours[name] for name in reference}, reference))


def removed(case: str) -> set[tuple[str, ...]]:
    listed = load_yaml(folder(case) / "removed.yaml")[0]
    return {(item["apiVersion"], item["kind"], item.get("namespace", ""), item["name"]) for item in listed}
