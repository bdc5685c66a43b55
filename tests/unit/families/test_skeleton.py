"""The same thing has the same name in every family: whoever knows the files of one finds those of the others.

Not proved: that a module or function does what its name says.
"""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelservices.families.registry import FAMILIES
from modelservices.findings import errors
from modelservices.planning.plan import StackPlan
from tests.conformance import ome_cases, test_kserve, test_llmkube, test_otterscale
from tests.conformance.reference import cases

COMPONENTS = Path(__file__).parents[3] / "components"
EVERYWHERE = {"spec", "settings", "render"}
OF_SERVICES = {"validation", "names", "labels", "status"}
"""What a family has whose manifests become workloads; those of the others become the object itself."""
SHARED = ("kubernetes/endpoint_picker", "ome_keys")
"""Makers of objects for all families."""


def modules(folder: Path) -> set[str]:
    """Names of the modules and of the folders in a folder, at any depth."""
    return {path.stem for path in folder.rglob("*.py")} | {path.name for path in folder.rglob("*") if path.is_dir()}


def functions(folder: Path) -> set[str]:
    """Names of the functions of the modules in a folder, at any depth; those of the modules themselves only."""
    trees = (ast.parse(path.read_text()) for path in folder.rglob("*.py"))
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_files_of_a_family(family) -> None:
    expected = EVERYWHERE | (OF_SERVICES if family.components else set())
    assert expected - modules(COMPONENTS / "families" / family.folder) == set()


def plans(family: str) -> Iterator[StackPlan]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if family == "llmkube":
            yield from map(test_llmkube.plan_of, test_llmkube.CASES)
        elif family == "otterscale":
            yield from map(test_otterscale.plan, test_otterscale.CASES)
        elif family == "kserve":
            yield from (test_kserve.plan_of(case, folder) for case in test_kserve.CASES)
        else:
            inputs = [case / "input.yaml" for group in ("propagation", "benchmark") for case in cases("ome", group)]
            yield from (ome_cases.planned(folder, case, "document") for case in inputs)


KINDS = {"kserve": 13, "llmkube": 4, "ome": 15, "otterscale": 14}
"""How many kinds of objects the reference cases of a family render."""
WITH_ANOTHER = {
    "ClusterRoleBinding": "cluster_role",
    "RoleBinding": "role",
}
"""Kinds that are made with what they belong to."""
OF_FAMILY = {
    "kserve": {"Service": "workload_service", "Secret": "certificates_secret"},
    "otterscale": {"Secret": "token_secret"},
}
"""OtterScale's Secret is a picker's token; KServe's Service is in front of the workloads."""


@pytest.mark.parametrize("family", KINDS)
def test_each_object_is_made_in_a_file_or_by_a_function_of_its_name(family: str) -> None:
    made = {obj["kind"] for plan in plans(family) if not errors(plan.findings) for obj in plan.all_objects()}
    assert len(made) == KINDS[family]
    folders = [COMPONENTS / "families" / family, *(COMPONENTS / shared for shared in SHARED)]
    known = set().union(*(modules(folder) | functions(folder) for folder in folders))
    with_another = WITH_ANOTHER | OF_FAMILY.get(family, {})
    assert {kind for kind in made if with_another.get(kind, snake(kind)) not in known} == set()


def snake(kind: str) -> str:
    """``HTTPRoute`` as ``http_route``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()
