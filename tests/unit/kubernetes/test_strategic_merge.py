"""Merging pods. Not proved: that every list of Kubernetes with a merge key is in the table."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.strategic_merge import merge


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


def test_items_without_their_key_stay() -> None:
    assert merge({"env": ["odd"]}, {"env": [{"value": "x"}]}) == {"env": ["odd", {"value": "x"}]}


def test_of_several_the_last_wins() -> None:
    assert merge.all([{"a": 1}, {"a": 2, "b": 1}, {"b": 3}]) == {"a": 2, "b": 3}
    assert merge.all([]) == {}
