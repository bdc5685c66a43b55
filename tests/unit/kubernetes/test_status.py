"""Reading live statuses. Not proved: what each family makes of them (families/*/test_status.py)."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.status import Condition, conditions_of, counter, failures, summary

QUOTA = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}
STUCK = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}


@pytest.mark.parametrize(
    "conditions", [None, 5, "text", {"type": "Ready"}, ["x", None, {}, {"type": 5}, {"status": "True"}]]
)
def test_odd_conditions_are_none(conditions: Any) -> None:
    assert conditions_of({"conditions": conditions}) == []


def test_conditions_without_reason_and_message() -> None:
    assert conditions_of({"conditions": [{"type": "Ready", "status": "True", "message": None}]}) == [
        Condition("Ready", "True", "", "")
    ]


@pytest.mark.parametrize(("value", "wanted"), [(3, 3), (2.0, 2), (None, 0), ("3", 0), ([], 0)])
def test_counters(value: Any, wanted: int) -> None:
    assert counter({"readyReplicas": value}, "readyReplicas") == wanted


def test_failures_are_what_a_workload_says_of_its_pods() -> None:
    fine = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
    assert failures({"conditions": [fine, QUOTA, STUCK]}) == [
        Condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota"),
        Condition("Progressing", "False", "ProgressDeadlineExceeded", ""),
    ]


def test_the_summary_has_the_words_of_the_first_condition_that_is_not_true() -> None:
    good, bad = Condition("A", "True", "Fine"), Condition("B", "False", "Slow", "one of two")
    assert summary([good, bad, Condition("C", "Unknown", "Lost")], "All") == Condition(
        "Ready", "False", "Slow", "one of two"
    )
    assert summary([good], "All") == Condition("Ready", "True", "All")
