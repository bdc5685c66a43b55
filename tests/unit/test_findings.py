"""Findings as data: how many of one object are reported. How they are printed: tests/unit/manifests/test_reports.py."""

from __future__ import annotations

from modelservices.findings import MOST_OF_ONE, Finding, InvalidManifests, Problem, bounded, first_problems


def finding(index: int, severity: str = "error", name: str = "Model n/a") -> Finding:
    problem = Problem(f"spec.a{index}", "is wrong", severity)  # type: ignore[arg-type]
    return Finding.of(problem, "f.yaml", name, 3)


def test_few_findings_stay_as_they_are() -> None:
    found = [finding(1), finding(2, "warning"), finding(1), finding(1, name="Model n/b")]
    assert bounded(found) == [finding(1), finding(2, "warning"), finding(1, name="Model n/b")]


def test_of_many_the_errors_are_kept() -> None:
    warnings = [finding(index, "warning") for index in range(MOST_OF_ONE)]
    kept = bounded([*warnings, finding(1), finding(0, name="Model n/b")])
    assert kept[:2] == [finding(1), warnings[0]]
    more = Finding(
        "f.yaml", "Model n/a", "", "has more problems than these 200; correct these first", code="more-problems"
    )
    assert kept[MOST_OF_ONE:] == [more, finding(0, name="Model n/b")]
    assert bounded(warnings * 2) == warnings


def test_no_more_problems_are_looked_for_than_are_reported() -> None:
    looked = []
    problems = (Problem(str(index), looked.append(index) or "is wrong") for index in range(10_000))
    assert len(first_problems(problems)) == len(looked) == MOST_OF_ONE + 1


def test_an_exception_says_its_errors() -> None:
    assert str(InvalidManifests([finding(1), finding(2, "warning")])) == "f.yaml: Model n/a: spec.a1: is wrong"
