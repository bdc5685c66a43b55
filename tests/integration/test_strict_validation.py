"""The Gateway API Inference Extension on a real API server: it takes what we take, and refuses what we refuse.

The other families' cases meet the API server in tests of their own. Not proven here: what the extension's controllers
do with the objects.
"""

from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ResourceNotFoundError

from components.findings import errors
from tests.conformance.reference import cases, load_yaml, plan_case
from tests.integration.test_llmkube_objects import refusal

FAMILY = "inference_extension"
CASES = cases(FAMILY)
STATUS = "-status-"
"""In the names of cases about a status: who writes a manifest does not reach it, so the server looks away."""


def is_valid(case: Path) -> bool:
    return not errors(plan_case([case]).findings)


VALID = [case for case in CASES if is_valid(case)]
REFUSED = [case for case in CASES if not is_valid(case) and STATUS not in case.stem]


@pytest.mark.parametrize("case", VALID, ids=lambda case: case.stem)
def test_the_server_takes_what_we_take(case: Path, api: DynamicClient) -> None:
    assert [text for obj in plan_case([case]).all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.stem)
def test_the_server_refuses_what_we_refuse(case: Path, api: DynamicClient) -> None:
    (manifest,) = load_yaml(case)
    try:
        assert refusal(api, manifest)
    except ResourceNotFoundError:
        assert f"{manifest['kind']} ({manifest['apiVersion']}) is not accepted" in str(plan_case([case]).findings)
