"""Merging base configs, presets and a service. Not proved: pods (unit/kubernetes/test_strategic_merge.py)."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.kserve.merge import merge


@pytest.mark.parametrize(
    ("path", "lower", "upper"),
    [
        ([], {"replicas": 2}, {"scaling": {"maxReplicas": 3}}),
        ([], {"scaling": {"maxReplicas": 3}}, {"replicas": 2}),
        (["prefill"], {"replicas": 2}, {"scaling": {"maxReplicas": 3}}),
        (["scaling"], {"keda": {"triggers": [1]}}, {"wva": {"hpa": {}}}),
        (["scaling", "wva"], {"hpa": {}}, {"keda": {"pollingInterval": 5}}),
        (["router", "scheduler", "pool"], {"spec": {"a": 1}}, {"ref": {"name": "mine"}}),
        (["router", "scheduler", "config"], {"ref": {"name": "a"}}, {"inline": {"b": 1}}),
        (["router", "route", "http"], {"spec": {"rules": [1]}}, {"refs": [{"name": "mine"}]}),
        (["valueFrom"], {"secretKeyRef": {"name": "a"}}, {"configMapKeyRef": {"name": "b"}}),
    ],
)
def test_of_what_excludes_each_other_the_upper_ones_choice_counts(path: list[str], lower: Any, upper: Any) -> None:
    for field in reversed(path):
        lower, upper = {field: lower}, {field: upper}
    assert merge(lower, upper) == upper
    assert merge(lower, {}) == lower


def test_a_choice_that_is_not_made_drops_nothing() -> None:
    assert merge({"replicas": 2}, {"scaling": None}) == {"replicas": 2}


def test_null_is_unset_at_any_depth() -> None:
    upper = {"a": None, "b": {"c": None, "d": [{"e": None, "f": 1}]}, "inline": {"g": None, "h": {"i": None}}}
    assert merge({}, upper) == {"b": {"d": [{"f": 1}]}, "inline": {"h": {}}}


def test_an_endpoint_picker_config_is_one_document() -> None:
    lower = {"config": {"inline": {"plugins": [{"type": "a"}], "featureGates": ["x"]}}}
    assert merge(lower, {"config": {"inline": {"plugins": []}}}) == {"config": {"inline": {"plugins": []}}}
