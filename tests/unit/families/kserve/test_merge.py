"""Merging specs. Not proved: that every list of Kubernetes with a merge key is in the table."""

from __future__ import annotations

from typing import Any

import pytest

from components.families.kserve.merge import merge, merge_all


def pod(*containers: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"containers": list(containers), **fields}


def test_mappings_merge_key_by_key_and_the_upper_one_wins() -> None:
    lower = {"a": {"x": 1, "y": 2}, "b": 3}
    assert merge(lower, {"a": {"y": 5}, "c": 4}) == {"a": {"x": 1, "y": 5}, "b": 3, "c": 4}
    assert lower == {"a": {"x": 1, "y": 2}, "b": 3}


@pytest.mark.parametrize("empty", [None, {}, []])
def test_what_is_unset_or_empty_never_erases(empty: Any) -> None:
    assert merge({"a": {"x": 1}, "args": ["--b"]}, {"a": empty, "args": empty}) == {"a": {"x": 1}, "args": ["--b"]}


@pytest.mark.parametrize("empty", [{}, []])
def test_what_is_empty_is_still_there(empty: Any) -> None:
    """``router.route: {}`` switches a route on."""
    assert merge({}, {"route": empty}) == {"route": empty}


@pytest.mark.parametrize("value", [0, False, ""])
def test_zero_false_and_empty_texts_count(value: Any) -> None:
    assert merge({"replicas": 3}, {"replicas": value}) == {"replicas": value}


def test_containers_and_their_lists_merge_item_by_item() -> None:
    lower = pod(
        {
            "name": "main",
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "ports": [{"containerPort": 8000, "protocol": "TCP"}],
            "volumeMounts": [{"mountPath": "/tmp", "name": "tmp"}],
            "args": ["--a"],
        },
        volumes=[{"name": "tmp", "emptyDir": {}}],
    )
    upper = pod(
        {"name": "side", "image": "side:1"},
        {
            "name": "main",
            "env": [{"name": "B", "value": "3"}, {"name": "C", "value": "4"}],
            "ports": [{"containerPort": 8000, "name": "http"}],
            "volumeMounts": [{"mountPath": "/tmp", "readOnly": True}],
            "args": ["--b"],
        },
    )
    assert merge(lower, upper) == pod(
        {
            "name": "main",
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "3"}, {"name": "C", "value": "4"}],
            "ports": [{"containerPort": 8000, "protocol": "TCP", "name": "http"}],
            "volumeMounts": [{"mountPath": "/tmp", "name": "tmp", "readOnly": True}],
            "args": ["--b"],
        },
        {"name": "side", "image": "side:1"},
        volumes=[{"name": "tmp", "emptyDir": {}}],
    )


@pytest.mark.parametrize("field", ["command", "args", "tolerations", "parentRefs", "rules", "targetPorts", "adapters"])
def test_other_lists_are_replaced(field: str) -> None:
    assert merge({field: [{"name": "a"}, {"name": "b"}]}, {field: [{"name": "c"}]}) == {field: [{"name": "c"}]}


def test_a_variable_has_a_value_or_a_source() -> None:
    """What Kubernetes' own merge leaves in place makes the API server refuse the pod."""
    reference = {"secretKeyRef": {"name": "s", "key": "k"}}
    lower = {"env": [{"name": "A", "valueFrom": reference}, {"name": "B", "value": ""}]}
    upper = {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": reference}]}
    assert merge(lower, upper) == upper


def test_a_volume_has_one_source() -> None:
    claim = {"persistentVolumeClaim": {"claimName": "c"}}
    lower = {"volumes": [{"name": "home", "emptyDir": {"sizeLimit": "1Gi"}}]}
    assert merge(lower, {"volumes": [{"name": "home", **claim}]}) == {"volumes": [{"name": "home", **claim}]}
    assert merge(lower, {"volumes": [{"name": "home", "emptyDir": {"medium": "Memory"}}]}) == {
        "volumes": [{"name": "home", "emptyDir": {"sizeLimit": "1Gi", "medium": "Memory"}}]
    }


def test_a_probe_has_one_handler_and_keeps_its_numbers() -> None:
    lower = {"startupProbe": {"httpGet": {"path": "/health"}, "periodSeconds": 10}}
    upper = {"startupProbe": {"exec": {"command": ["true"]}}}
    assert merge(lower, upper) == {"startupProbe": {"exec": {"command": ["true"]}, "periodSeconds": 10}}


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


def test_items_without_their_key_stay() -> None:
    assert merge({"env": ["odd"]}, {"env": [{"value": "x"}]}) == {"env": ["odd", {"value": "x"}]}


def test_of_several_the_last_wins() -> None:
    assert merge_all([{"a": 1}, {"a": 2, "b": 1}, {"b": 3}]) == {"a": 2, "b": 3}
    assert merge_all([]) == {}
