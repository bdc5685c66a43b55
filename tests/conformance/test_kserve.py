"""The reference cases of KServe's LLMInferenceService, except for the listed departures.

Cases are rendered with both InferencePool APIs, like the reference; the default is one (decision K3). Not proven here:
what the start scripts do when they run (tests/unit/families/kserve/test_serve.py), that an API server accepts the
objects, and that a pod answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.kubernetes.objects import Object
from modelservices.planning.plan import StackPlan

from .kserve_objects import differences, metadata_differences, serve_differences
from .reference import cases, departures, load_yaml, plan_case, unexpected

FAMILY = "kserve"
CASES = cases(FAMILY)
BOTH_POOLS = {"inferencePoolApis": ["v1", "v1alpha2"]}


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_case(case: Path, tmp_path: Path) -> None:
    """We report an error if KServe does or if we reject the case on purpose; otherwise everything must be equal."""
    plan = plan_of(case, tmp_path)
    failed = [str(finding) for finding in errors(plan.findings)]
    assert bool(failed) == is_refused(case), failed
    if not failed:
        ours = objects(plan)
        found = differences(ours, load_yaml(golden(case, "expected")))
        found += metadata_differences(ours, load_yaml(golden(case, "expected-metadata")))
        found += serve_differences(ours, next(iter(load_yaml(case / "expected-serve.yaml")), {}))
        assert unexpected(FAMILY, case.name, found) == []


def is_refused(case: Path) -> bool:
    """Whether an error is expected; s35 is a KServe error that this program doesn't share."""
    listed = departures(FAMILY, case.name)
    return listed.refused or ((case / "expected-error.yaml").exists() and not listed.differences)


def golden(case: Path, name: str) -> Path:
    """The golden file; the seed document's version takes precedence where KServe differs from it."""
    seed = case / f"{name}.seed.yaml"
    return seed if seed.exists() else case / f"{name}.yaml"


def plan_of(case: Path, folder: Path, settings: dict[str, Any] | None = None) -> StackPlan:
    installed = next(iter(load_yaml(case / "install.yaml")), {})
    return plan_case([without_literals(case, folder)], {FAMILY: {**BOTH_POOLS, **installed, **(settings or {})}})


def without_literals(case: Path, folder: Path) -> Path:
    """The case's input with secret references instead of literal Secret values, which this program rejects."""
    documents = load_yaml(case / "input.yaml")
    if all(document["kind"] != "Secret" for document in documents):
        return case / "input.yaml"
    for document in documents:
        if document["kind"] == "Secret":
            document["data"] = {name: f"${{secret:{name.lower()}}}" for name in document["data"]}
    path = folder / "input.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    return path


def objects(plan: StackPlan) -> list[Object]:
    """The services' objects; a pool in the input belongs to another family."""
    return [obj for service in plan.services for obj in service.all_objects()]


OWNED = {
    "p15-single-spec-collides-app-name": {'spec.labels["app.kubernetes.io/name"]'},
    "p16-single-spec-collides-role-component": {
        'spec.labels["app.kubernetes.io/component"]',
        'spec.labels["kserve.io/component"]',
        'spec.labels["llm-d.ai/role"]',
    },
    "p24-sched-collides-component": {'spec.router.scheduler.labels["app.kubernetes.io/component"]'},
    "p38-mn-collides-role": {'spec.labels["app.kubernetes.io/component"]', 'spec.labels["llm-d.ai/role"]'},
    "p47-pd-prefill-collides-role": {'spec.prefill.labels["llm-d.ai/role"]'},
}


@pytest.mark.parametrize("name", OWNED)
def test_owned_keys_are_refused_by_path(name: str, tmp_path: Path) -> None:
    """Decision K4, for the cases that the reference marks with the letter C."""
    plan = plan_of(case_of(name), tmp_path)
    assert {finding.path for finding in errors(plan.findings)} == OWNED[name]


def test_all_cases_of_letter_c_are_listed() -> None:
    texts = {case.name: case / "differs-from-seed.txt" for case in CASES}
    marked = {name for name, text in texts.items() if text.exists() and "\nC: " in f"\n{text.read_text()}"}
    assert marked == set(OWNED)


@pytest.mark.parametrize("name", ["s03-single-router-tls", "s18-pd-mn-router-tls"])
def test_certificates_with_tls(name: str, tmp_path: Path) -> None:
    """Decision K2 omits the Secret only without encryption."""
    ours = objects(plan_of(case_of(name), tmp_path))
    secrets = [obj for obj in ours if obj["kind"] == "Secret"]
    assert [secret["type"] for secret in secrets] == ["kubernetes.io/tls"]
    assert "optional: true" not in yaml.safe_dump_all(ours)


def test_one_pool_by_default(tmp_path: Path) -> None:
    """Decision K3."""
    case = case_of("s02-single-router-defaults")
    ours = objects(plan_case([case / "input.yaml"]))
    found = differences(ours, load_yaml(case / "expected.yaml"))
    assert unexpected(FAMILY, case.name, found) == [
        "not listed: InferencePool rt-inference-pool (inference.networking.x-k8s.io/v1alpha2): object missing"
    ]
    backends = {ref.get("group") for rule in route_of(ours)["rules"] for ref in rule["backendRefs"]}
    assert backends == {"inference.networking.k8s.io", ""}


def test_the_comparison_sees_every_value(tmp_path: Path) -> None:
    """Changing any text or number in the objects causes a difference (except what the README calls loose)."""
    case = case_of("s16-pd-single-router")
    ours = [obj for obj in objects(plan_of(case, tmp_path)) if obj["kind"] != "HTTPRoute"]
    reference = [obj for obj in load_yaml(case / "expected.yaml") if obj["kind"] != "HTTPRoute"]
    metadata = load_yaml(golden(case, "expected-metadata"))
    before = differences(ours, reference) + metadata_differences(ours, metadata)
    unseen = []
    for path, changed in changes(ours):
        if differences(changed, reference) + metadata_differences(changed, metadata) == before:
            unseen.append(path)
    assert unseen == []


def changes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields, for each text and number, its path and the value with only that changed."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ((where, {**value, key: new}) for where, new in changes(item, f"{path}.{key}"))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for where, new in changes(item, f"{path}[{index}]"):
                yield where, [*value[:index], new, *value[index + 1 :]]
    elif isinstance(value, str) and "exec vllm" not in value:
        yield path, f"1{value}"
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, value + 1


def case_of(name: str) -> Path:
    return next(case for case in CASES if case.name == name)


def route_of(ours: list[Object]) -> Any:
    return next(obj["spec"] for obj in ours if obj["kind"] == "HTTPRoute")
