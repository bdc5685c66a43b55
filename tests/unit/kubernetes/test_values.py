"""Looking into plain values. Not proved: who uses it for what."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.values import (
    all_text,
    mapping,
    mappings,
    repeated,
    texts,
    value_at,
    values_at,
    without_empty,
)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [((), {"b": {"c": 1}, "d": [2]}), (("b", "c"), 1), (("b", "x"), None), (("d", "c"), None), (("b", "c", "e"), None)],
)
def test_the_value_at_a_path(path: tuple[str, ...], wanted: Any) -> None:
    assert value_at({"a": {"b": {"c": 1}, "d": [2]}}, "a", *path) == wanted


def test_what_says_nothing_is_left_out_but_zero_and_false() -> None:
    fields = {"a": None, "b": "", "c": [], "d": {}, "e": 0, "f": False, "g": "x"}
    assert without_empty(fields) == {"e": 0, "f": False, "g": "x"}


@pytest.mark.parametrize("value", [None, 5, "text", ["a"]])
def test_what_is_no_mapping_is_an_empty_one(value: Any) -> None:
    assert mapping(value) == {} and mappings(value) == []


def test_mappings_of_a_list() -> None:
    assert mappings([{"a": 1}, None, "x", {"b": 2}]) == [{"a": 1}, {"b": 2}]


def test_items_that_are_there_already() -> None:
    assert list(repeated(["a", "b", "a", None, "a", None])) == [(2, "a", 0), (4, "a", 0)]
    assert list(repeated([])) == []


def test_values_along_a_path_through_lists() -> None:
    pod = {"volumes": [{"configMap": {"name": "a"}}, {"configMap": {"name": "b"}}, {"emptyDir": {}}, "odd"]}
    assert list(values_at(pod, ["volumes", "configMap", "name"])) == ["a", "b"]
    assert list(values_at(pod, [])) == [pod]


def test_texts_with_their_paths() -> None:
    value = {"a": ["x", 1, {"b.c": "y"}]}
    assert list(texts(value)) == [("a[0]", "x"), ('a[2]["b.c"]', "y")]
    assert sorted(all_text(value).splitlines()) == ["x", "y"]
