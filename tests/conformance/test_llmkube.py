"""The reference cases of LLMKube: objects, errors, warnings and status, except for the listed departures.

Not proven here: what the scripts of the init containers do (tests/unit/families/llmkube/scripts), that an API server
accepts the objects, and that a live status equals the simulated one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import errors
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.planning.plan import StackPlan

from .llmkube.compare import diff_docs
from .reference import cases, departures, load_yaml, plan_case, unexpected

FAMILY = "llmkube"
CASES = cases(FAMILY)


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_case(case: Path) -> None:
    """We report an error if upstream does or if a departure says so; otherwise everything is equal."""
    plan = plan_of(case)
    failed = [str(finding) for finding in errors(plan.findings)]
    departs = departures(FAMILY, case.name).refused
    if is_error(case):
        assert failed and not departs
    elif departs:
        assert failed
    else:
        assert failed == []
        differences = diff_docs(load_yaml(case / "expected.yaml"), plan.all_objects())
        differences += missing_warnings(case, plan)
        differences += status_differences(case, plan)
        assert unexpected(FAMILY, case.name, differences) == []


def refused_fields(case: Path) -> list[str]:
    """The fields that the API server rejected, sorted."""
    text = (case / "error.txt").read_text() if (case / "error.txt").exists() else ""
    return sorted(re.findall(r"^admission: .*: field (\S+): ", text, re.MULTILINE))


@pytest.mark.parametrize("refused", [case for case in CASES if refused_fields(case)], ids=lambda case: case.name)
def test_admission_errors(refused: Path) -> None:
    """We reject exactly the fields that the API server rejects, at the same paths."""
    assert sorted(finding.path for finding in errors(plan_of(refused).findings)) == refused_fields(refused)


def plan_of(case: Path) -> StackPlan:
    settings = {name: value for name, value in operator(case).items() if name != "simulate"}
    return plan_case([case / "input.yaml"], {FAMILY: settings})


def operator(case: Path) -> dict[str, Any]:
    return next(iter(load_yaml(case / "operator.yaml")), {})


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def is_error(case: Path) -> bool:
    return any("non-fatal" not in line for line in text_of(case / "error.txt").splitlines())


def missing_warnings(case: Path, plan: StackPlan) -> list[str]:
    """The operator's warning events and non-fatal conditions that have no finding."""
    wanted = set(re.findall(r"^Warning (\S+)", text_of(case / "events.txt"), re.MULTILINE))
    wanted |= set(re.findall(r"reason=(\S+) \(non-fatal", text_of(case / "error.txt")))
    return [f"no warning {code}" for code in sorted(wanted - {finding.code for finding in plan.findings})]


def status_differences(case: Path, plan: StackPlan) -> list[str]:
    """Differences between each service's status and the operator's, with the simulated Deployment and the input's
    pods."""
    services = {service.name: service for service in plan.services}
    return [
        f"status of {expected['name']}: {line}"
        for expected in load_yaml(case / "status.yaml")
        for line in compare_status(expected["status"], observed(case, services[expected["name"]]))
    ]


def observed(case: Path, service: RenderedComponent) -> dict[str, Any]:
    """A service's status with the fields of status.yaml."""
    assert service.observe
    ready = operator(case).get("simulate", {}).get("readyReplicas", 0)
    status = service.observe({"deployment": {"readyReplicas": ready}, "pods": {"schedulingMessages": waiting(case)}})
    fields = {
        "phase": status.phase,
        "endpoint": status.endpoint,
        "readyReplicas": status.ready,
        "desiredReplicas": status.desired,
        "conditions": [{"type": c.type, "status": c.status, "reason": c.reason} for c in status.conditions],
        **status.details,
    }
    return {name: value for name, value in fields.items() if value}


def waiting(case: Path) -> list[str]:
    pods = [doc for doc in load_yaml(case / "input.yaml") if doc["kind"] == "Pod"]
    return [condition["message"] for pod in pods for condition in pod["status"]["conditions"]]


def compare_status(expected: Mapping[str, Any], got: Mapping[str, Any]) -> Iterator[str]:
    """Compares statuses; for messages, which we word differently, only their presence."""
    conditions = [{k: c[k] for k in ("type", "status", "reason")} for c in expected["conditions"]]
    wanted = {**expected, "conditions": conditions}
    for name in sorted({*wanted, *got}):
        same = name in wanted and name in got if name == "schedulingMessage" else wanted.get(name) == got.get(name)
        if not same:
            yield f"{name}: want {wanted.get(name)!r} got {got.get(name)!r}"
