"""The reading of an engine's table of flags.

Not proved here: that the tables say what the servers understand.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.engine import Engine
from modelservices.engines.flag import Flag, Launch, from_table
from modelservices.kubernetes.scalars import Opaque


def words(flag: Flag, values: dict[str, Any], gpus: int = 0) -> list[Any]:
    launch = Launch(values, port=80, gpus=gpus)
    return [word for argument in from_table([flag], launch) for word in argument.words]


@pytest.mark.parametrize(
    ("flag", "values", "expected"),
    [
        (Flag("--a", "a"), {"a": 5}, ["--a", "5"]),
        (Flag("--a", "a"), {"a": 0}, ["--a", "0"]),
        (Flag("--a", "a"), {"a": 0.92}, ["--a", "0.92"]),
        (Flag("--a", "a"), {"a": 0.5}, ["--a", "0.5"]),
        (Flag("--a", "a"), {"a": 1.0}, ["--a", "1"]),
        (Flag("--a", "a"), {}, []),
        (Flag("--a", "b.c"), {"b": {"c": "x"}}, ["--a", "x"]),
        (Flag("--a", "b.c"), {"b": None}, []),
        (Flag("--a", "a", "switch"), {"a": True}, ["--a"]),
        (Flag("--a", "a", "switch"), {"a": False}, []),
        (Flag("--a", "a", "off"), {"a": False}, ["--a"]),
        (Flag("--a", "a", "off"), {"a": True}, []),
        (Flag("--a", "a", "off"), {}, []),
        (Flag("--a", "a", "all"), {"a": ["x", "y"]}, ["--a", "x", "y"]),
        (Flag("--a", "a", "all"), {"a": []}, []),
        (Flag("--a", "a", "on"), {"a": True}, ["--a", "on"]),
        (Flag("--a", "a", "each"), {"a": ["x", "y"]}, ["--a", "x", "--a", "y"]),
        (Flag("--a", "a", "each"), {"a": []}, []),
        (Flag("--a", "a", above=0), {"a": 0}, []),
        (Flag("--a", "a", above=1), {"a": 2}, ["--a", "2"]),
        (Flag("--a", "a", never="auto"), {"a": "auto"}, []),
        (Flag("--a", "a", before="b"), {"a": "x", "b": "y"}, ["--a", "y"]),
        (Flag("--a", "a", before="b"), {"a": "x", "b": ""}, ["--a", "x"]),
        (Flag("--a", "a", needs="b"), {"a": "x"}, []),
        (Flag("--a", "a", needs="b"), {"a": "x", "b": 0}, ["--a", "x"]),
        (Flag("--a", "a", gpus=True), {"a": "x"}, []),
    ],
)
def test_rows(flag: Flag, values: dict[str, Any], expected: list[str]) -> None:
    assert words(flag, values) == expected


def test_a_flag_for_gpus() -> None:
    assert words(Flag("--a", "a", gpus=True), {"a": "x"}, gpus=1) == ["--a", "x"]


def test_a_value_that_is_not_known_yet_is_handed_on() -> None:
    value = Opaque("later")
    assert words(Flag("--a", "a", never="auto"), {"a": value}) == ["--a", value]


def test_an_argument_names_the_field_that_asked_for_it() -> None:
    (argument,) = from_table([Flag("--a", "a", before="b")], Launch({"b": 1}, port=80))
    assert argument.field == "b"


def test_the_token_comes_from_its_secret() -> None:
    engine = Engine(container="x", port=80, image=lambda launch: "", token=("HF_TOKEN", "c.ref"))
    reference = {"name": "hub", "key": "token"}
    assert engine.variables(Launch({"c": {"ref": reference}}, port=80)) == [
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": reference}}
    ]
    assert engine.variables(Launch({}, port=80)) == []
