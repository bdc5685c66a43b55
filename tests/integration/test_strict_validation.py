"""OME's cases on a real API server: everything that is rendered is taken, or the input is refused by us.

The other families' cases meet the API server in the tests of their families. Kinds of controllers that bring no CRD
here (Knative, KubeRay, TrainJob, Volcano) are left out: their schemas are not proven.
"""

from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from components.findings import errors
from components.kubernetes.objects import Object
from components.planning.plan import StackPlan
from tests.conformance.ome_cases import FAMILY, planned
from tests.conformance.reference import cases
from tests.integration.test_llmkube_objects import refusal

FOLDERS = [case / "input.yaml" for folder in ("propagation", "benchmark") for case in cases(FAMILY, folder)]
FILES = cases(FAMILY, "admission")
PROFILES = ("document", "upstream")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("case", [*FOLDERS, *FILES], ids=lambda case: f"{case.parent.name}-{case.stem}")
def test_the_server_takes_the_objects(case: Path, profile: str, api: DynamicClient, tmp_path: Path) -> None:
    plan = planned(tmp_path, case, profile)
    if errors(plan.findings):
        return  # refused by us, before anything is rendered
    assert [text for obj in known(api, plan) if (text := refusal(api, obj))] == []


def test_there_are_cases_of_both_verdicts(tmp_path: Path) -> None:
    refused = [bool(errors(planned(tmp_path, case, "document").findings)) for case in [*FOLDERS, *FILES]]
    assert True in refused and False in refused


def known(api: DynamicClient, plan: StackPlan) -> list[Object]:
    """The objects of those kinds that this API server has."""
    return [obj for obj in [*plan.all_objects(), *plan.chart] if _is_known(api, obj)]


def _is_known(api: DynamicClient, obj: Object) -> bool:
    try:
        return bool(api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"]))
    except ResourceNotFoundError:
        return False
