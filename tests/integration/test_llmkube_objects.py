"""A real API server takes what every LLMKube reference case renders, field by field.

Not proved here: that the pods run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiException
from kubernetes.dynamic import DynamicClient

from components.findings import errors
from tests.conformance import test_llmkube as conformance


@pytest.mark.parametrize("case", conformance.CASES, ids=lambda case: case.name)
def test_the_server_takes_the_objects(case: Path, api: DynamicClient) -> None:
    plan = conformance.plan_of(case)
    if errors(plan.findings):
        return  # refused by us, before anything is rendered
    assert [text for obj in [*plan.all_objects(), *plan.chart] if (text := refusal(api, obj))] == []


def refusal(api: DynamicClient, obj: dict[str, Any]) -> str:
    """Why the server would refuse the object (nothing is stored), or an empty text."""
    resource = api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
    where = {"namespace": "default"} if resource.namespaced else {}
    body = {**obj, "metadata": {**obj["metadata"], **where}}
    try:
        resource.server_side_apply(
            body=body,
            name=body["metadata"]["name"],
            field_manager="test",
            force_conflicts=True,  # another test may have a cluster-wide object of the name
            dry_run="All",
            field_validation="Strict",
            **where,
        )
    except ApiException as error:
        return f"{obj['kind']}: {error.body}"
    return ""
