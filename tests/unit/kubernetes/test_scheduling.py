"""Tolerations that the API server refuses. That it does was tried by hand."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.core import Toleration
from modelservices.kubernetes.pod_checks import toleration_problems


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "value": "llm"},
        {"key": "dedicated", "operator": "Equal", "value": "llm", "effect": "NoExecute", "tolerationSeconds": 0},
    ],
)
def test_accepted(toleration: dict[str, Any]) -> None:
    assert list(toleration_problems([Toleration.model_validate(toleration)], "t")) == []


@pytest.mark.parametrize(
    ("toleration", "path"),
    [
        ({"value": "llm"}, "t[0].operator"),
        ({"key": "a b", "operator": "Exists"}, "t[0].key"),
        ({"key": "a", "operator": "Exists", "value": "b"}, "t[0].value"),
        ({"key": "a", "value": "b c"}, "t[0].value"),
        ({"key": "a", "operator": "Exists", "tolerationSeconds": 1}, "t[0].effect"),
    ],
)
def test_refused(toleration: dict[str, Any], path: str) -> None:
    found = toleration_problems([Toleration.model_validate(toleration)], "t")
    assert [problem.path for problem in found] == [path]
