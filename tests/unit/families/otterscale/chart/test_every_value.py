"""Every value of the chart has its fate: it becomes the named field, is a finding, or has no effect.

Not proved: that the list has all values of a later release; ``values.tsv`` says which one it is.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelservices.families.otterscale.chart.conversion import Options, convert
from modelservices.findings import Problem
from modelservices.kubernetes.values import value_at
from modelservices.manifests.lines import steps

CONTAINER = {"name": "vllm", "image": "r/vllm:1", "modelCommand": "vllmServe"}
BASE: dict[str, Any] = {
    "modelArtifacts": {"name": "org/model", "uri": "oci://r.example.com/model:1"},
    "decode": {"replicas": 1, "containers": [CONTAINER]},
    "prefill": {"replicas": 2, "containers": [CONTAINER]},
}


def rows() -> Iterator[tuple[str, Any, str, str]]:
    for line in (Path(__file__).parent / "values.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        path, value, fate, *what = line.split("\t")
        for role in ("decode", "prefill") if "<role>" in line else ("",):
            yield path.replace("<role>", role), json.loads(value), fate, (what or [""])[0].replace("<role>", role)


ROWS = list(rows())


def with_value(path: str, value: Any) -> dict[str, Any]:
    changed = json.loads(json.dumps(BASE))
    at: Any = changed
    *way, last = steps(path)
    for step in way:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    if isinstance(last, int):
        at[last:] = [value]
    else:
        at[last] = value
    return changed


def converted(values: dict[str, Any]) -> tuple[dict[str, Any] | None, list[Problem]]:
    return convert(values, Options())


@pytest.mark.parametrize(("path", "value", "fate", "what"), ROWS, ids=[row[0] for row in ROWS])
def test_every_value_has_its_fate(path: str, value: Any, fate: str, what: str):
    before, said_before = converted(BASE)
    after, said = converted(with_value(path, value))
    new = [problem for problem in said if problem not in said_before]
    assert {
        "converted": lambda: value_at(after, *what.split(".")) != value_at(before, *what.split(".")),
        "finding": lambda: after is not None and {problem.path for problem in new} == {path},
        "error": lambda: after is None and [p.path for p in new if p.severity == "error"] == [path],
        "nothing": lambda: after == before and new == [],
    }[fate](), (after, new)


def test_the_base_is_converted():
    manifest, problems = converted(BASE)
    assert manifest is not None
    assert [(problem.path, problem.severity) for problem in problems] == [
        ("modelArtifacts.uri", "info"),
        ("routing", "info"),
    ]


@pytest.mark.parametrize("odd", [None, [], {}, "x", 1, True, [1], {"x": 1}], ids=str)
def test_odd_values_end_in_findings(odd: Any):
    for path in {row[0] for row in ROWS}:
        for length in range(1, len(steps(path)) + 1):
            where = path_of(steps(path)[:length])
            manifest, problems = converted(with_value(where, odd))
            assert (manifest is None) == any(problem.severity == "error" for problem in problems), where


def path_of(found: list[str | int]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in found)
    return text.removeprefix(".")


def test_the_list_has_no_value_twice():
    paths = [row[0] for row in ROWS]
    assert sorted(set(paths)) == sorted(paths)
