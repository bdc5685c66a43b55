"""The policy pack's findings on the reference cases: which of the operators' own objects need the platform's
permission.

docs/policy.md has the same list with the parameters to set. Not proven here: manifests of kinds that the cases lack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import errors
from modelservices.kubernetes.objects import Object
from modelservices.policy.config import LEVEL
from modelservices.policy.rule import ObjectRule, StackRule
from modelservices.policy.rules import RULES

from .reference import cases, load_yaml, plan_case

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()
BOUNDARY = {"privileged", "capabilities", "confinement", "host-path", "host-namespaces", "host-port", "node-name"}
CASES = [case for family in ("llmkube", "otterscale", "kserve") for case in cases(family)]
CASES += [case for folder in ("propagation", "benchmark") for case in cases("ome", folder)]
MULTI_NODE = ["IPC_LOCK", "SYS_RAWIO", "NET_RAW"]
ON_NODES = {"source-local-path": "/srv/weights", "source-local-not-allowed": "/etc/loon.gguf"}
"""LLMKube's cases with a model in a folder of the node."""


def manifests(case: Path) -> list[Path]:
    return [file for file in (case / "input.yaml", case) if file.is_file()]


def said(objects: list[Object], parameters: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for rule in RULES:
        given = rule.read(parameters.get(rule.name, {}))
        if rule.name in BOUNDARY:
            assert isinstance(rule, ObjectRule)
            yield from ((rule.name, sentence) for obj in objects for sentence in rule.sentences(obj, given))
        elif rule.name == "service-accounts":
            assert isinstance(rule, StackRule)
            yield from ((rule.name, sentence) for sentence in rule.sentences(objects, given))


def allowed(case: Path) -> dict[str, dict[str, Any]]:
    """The parameters that a platform must set for this case."""
    paths = [ON_NODES[case.name]] if case.name in ON_NODES else []
    accounts = ["inference/s3-reader"] if case.name == "s12-s3-model-with-credentials" else []
    types = ["t"] if case.name == "security-contexts" else []
    return {
        "host-path": {"paths": paths},
        "service-accounts": {"accounts": accounts},
        "confinement": {"seLinuxTypes": types},
    }


REFUSED = {"passthrough-windows-and-selinux"}
"""The case with an SELinux user and role, which Pod Security's baseline rejects and no parameter allows."""


@pytest.mark.parametrize(
    "case", [c for c in CASES if manifests(c) and c.name not in REFUSED], ids=lambda case: case.name
)
def test_a_case_needs_what_the_page_lists(case: Path) -> None:
    """Only RDMA capabilities in KServe's multi-node groups, and the four cases above."""
    plan = plan_case(manifests(case))
    if errors(plan.findings):
        return
    objects = [*plan.all_objects(), *plan.chart]
    capabilities = [sentence for _, sentence in said(objects, allowed(case))]
    assert [sentence for sentence in capabilities if not sentence.startswith("LeaderWorkerSet ")] == []
    assert all(f"adds {', '.join(MULTI_NODE)}: " in sentence for sentence in capabilities)
    assert list(said(objects, {**allowed(case), "capabilities": {"add": MULTI_NODE}})) == []


@pytest.mark.parametrize(
    ("family", "case", "rules"),
    [
        ("kserve", "p33-mn-spec", {"capabilities"}),
        ("kserve", "s12-s3-model-with-credentials", {"service-accounts"}),
        ("llmkube", "source-local-path", {"host-path"}),
    ],
)
def test_what_needs_the_platform_s_word(family: str, case: str, rules: set[str]) -> None:
    """Both for the operator's objects in the reference and for ours."""
    (folder,) = (each for each in cases(family) if each.name == case)
    settings = {"llmkube": {"allowedHostPathRoots": ["/srv/weights"]}}
    ours = plan_case([folder / "input.yaml"], settings).all_objects()
    assert {rule for rule, _ in said(ours, {})} == rules
    assert {rule for rule, _ in said(load_yaml(folder / "expected.yaml"), {})} == rules


def test_the_page_s_configs_are_right() -> None:
    examples = re.findall(r"`(\"[a-z-]+\": \{.*?\})`", PAGE)
    assert [f'"capabilities": {json.dumps({LEVEL: "mandatory", "add": MULTI_NODE})}'] == examples
