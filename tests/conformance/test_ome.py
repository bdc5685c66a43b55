"""The reference of OME: verdicts on labels and annotations, admission, propagation to objects, benchmark jobs.

Propagation and benchmarks are compared in the profile ``upstream``, which renders what OME's controllers do, and in the
profile ``document``, in which the documented keys take effect (departure M1).

Not proven here: containers, which the reference does not show, and that a cluster accepts the objects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.manifests.documents import load
from modelservices.ome_keys.validation import Profile
from modelservices.planning.identity import change_findings

from .ome_cases import ENVIRONMENT, FAMILY, compare, differences, planned
from .reference import cases, departures, load_yaml, plan_case, unexpected

Expected = dict[str, Any]


@pytest.mark.parametrize("case", cases(FAMILY), ids=lambda case: case.name)
def test_keys(case: Path) -> None:
    """Compares findings about labels and annotations. Others, for example about a missing spec, don't belong to the
    case."""
    expected = yaml.safe_load((case / "expected.yaml").read_text())
    if (case / "before.yaml").exists():
        found = list(change_findings(load([case / "before.yaml"])[0], load([case / "after.yaml"])[0], "default"))
    else:
        found = plan_case([case / "input.yaml"], {"ome": {"profile": expected["profile"]}}).findings
    lines = sorted((finding.key, finding.severity, finding.code) for finding in found if finding.key)
    assert lines == sorted((f["key"], f["severity"], f["reason"]) for f in expected["findings"])


@pytest.mark.parametrize("profile", ["document", "upstream"])
@pytest.mark.parametrize("case", cases(FAMILY, "admission"), ids=lambda case: case.stem)
def test_admission(case: Path, profile: Profile) -> None:
    verdict = case.read_text().splitlines()[0].removeprefix("# expect: ").split()
    found = errors(plan_case([case, ENVIRONMENT], {"ome": {"profile": profile}}).findings)
    places = {place for finding in found for place in (finding.path, finding.key)}
    differences = []
    if verdict[0] == "allowed":
        differences += [f"refused: {finding.path}: {finding.message}" for finding in found]
    elif verdict[2] not in places:
        differences.append(f"{verdict[2]} is not among {sorted(str(place) for place in places)}")
    assert unexpected(FAMILY, f"admission/{case.stem}", differences) == []


@pytest.mark.parametrize("profile", ["document", "upstream"])
@pytest.mark.parametrize("case", cases(FAMILY, "propagation"), ids=lambda case: case.name)
def test_propagation(case: Path, profile: Profile, tmp_path: Path) -> None:
    expected: Expected = load_yaml(case / "expected-metadata.yaml")[0]
    plan = planned(tmp_path, case / "input.yaml", profile)
    name = f"{profile}/{case.name}"
    if departures(FAMILY, name).refused:
        assert errors(plan.findings)
        return
    plan.raise_for_errors()
    assert unexpected(FAMILY, name, differences(expected.get("children") or [], plan)) == []


@pytest.mark.parametrize("profile", ["document", "upstream"])
@pytest.mark.parametrize("case", cases(FAMILY, "benchmark"), ids=lambda case: case.name)
def test_benchmark(case: Path, profile: Profile, tmp_path: Path) -> None:
    expected: Expected = load_yaml(case / "expected-metadata.yaml")[0]
    plan = planned(tmp_path, case / "input.yaml", profile).raise_for_errors()
    jobs = {obj["metadata"]["name"]: obj for obj in plan.all_objects() if obj["kind"] == "Job"}
    wanted = {child["name"]: child for child in expected["children"] or []}
    lines = [f"surplus: Job {name}" for name in sorted(jobs.keys() - wanted.keys())]
    for name, child in wanted.items():
        lines += list(_in_job(child, jobs[name]))
    name = "benchmark-seed-example" if case.name == "seed-example" else case.name
    assert unexpected(FAMILY, f"{profile}/{name}", lines) == []


def _in_job(child: Expected, job: dict[str, Any]) -> list[str]:
    """Ignores the pod template's name and namespace in the reference, which have no meaning in a template."""
    found = {field: value for field, value in job["metadata"].items() if field in ("labels", "annotations")}
    expected = {field: child[field] for field in ("labels", "annotations")}
    lines = list(compare(expected, found, "Job"))
    template = child["spec"]["template"]
    metadata = {field: value for field, value in template["metadata"].items() if field not in ("name", "namespace")}
    spec = {**child["spec"], "template": {**template, "metadata": metadata}}
    return lines + list(compare(spec, job["spec"], "Job: spec"))
