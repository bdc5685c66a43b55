"""The value types of OME's keys. Not proved here: which key has which type (the vocabulary says it)."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.ome_keys.values import seconds, wrong
from modelservices.ome_keys.vocabulary import vocabulary

FIT: list[tuple[dict[str, Any], str]] = [
    ({"type": "bool"}, "true"),
    ({"type": "int", "minimum": 0}, "0"),
    ({"type": "int", "minimum": 1, "maximum": 100}, "100"),
    ({"type": "number", "above": 0, "maximum": 1}, "1"),
    ({"type": "number", "above": 0}, "1e-3"),
    ({"type": "number", "minimum": 0.01}, "0.01"),
    ({"type": "enum", "values": ["a", "b"]}, "b"),
    ({"type": "regex", "pattern": r"^\d{5}$"}, "00001"),
    ({"type": "json"}, '{"a": 1}'),
    ({"type": "uri", "schemes": ["oci"]}, "oci://bucket/models/llama"),
    ({"type": "duration", "above": "0s"}, "1h30m"),
    ({"type": "quantity", "above": "0"}, "100Gi"),
    ({"type": "ip"}, "10.1.2.3"),
    ({"type": "ip"}, "fd00::1"),
]
MISFIT: list[tuple[dict[str, Any], str]] = [
    ({"type": "bool"}, "True"),
    ({"type": "bool"}, ""),
    ({"type": "int", "minimum": 0}, "-1"),
    ({"type": "int"}, "1.5"),
    ({"type": "int"}, "١"),
    ({"type": "int", "maximum": 100}, "101"),
    ({"type": "number", "above": 0}, "0"),
    ({"type": "number"}, "ten"),
    ({"type": "number"}, "nan"),
    ({"type": "enum", "values": ["a"]}, "A"),
    ({"type": "regex", "pattern": r"^\d{5}$"}, "1"),
    ({"type": "regex", "pattern": r"^\d$"}, "٣"),
    ({"type": "regex", "pattern": "^a+$"}, "a\n"),
    ({"type": "regex", "pattern": "^a+$", "maxLength": 3}, "aaaa"),
    ({"type": "json"}, "{"),
    ({"type": "uri", "schemes": ["http"]}, "prom:9090"),
    ({"type": "uri", "schemes": ["http"]}, "http://"),
    ({"type": "uri", "schemes": ["http"]}, "ftp://x"),
    ({"type": "duration", "above": "0s"}, "100"),
    ({"type": "duration", "above": "0s"}, "0s"),
    ({"type": "duration", "above": "0s"}, "10 m"),
    ({"type": "duration", "above": "0s"}, "-1s"),
    ({"type": "quantity", "above": "0"}, "100 GB"),
    ({"type": "quantity", "above": "0"}, "0"),
    ({"type": "ip"}, "10.1.2"),
]


@pytest.mark.parametrize(("rule", "value"), FIT)
def test_fits(rule: dict[str, Any], value: str) -> None:
    assert wrong(value, rule) == ""


@pytest.mark.parametrize(("rule", "value"), MISFIT)
def test_does_not_fit(rule: dict[str, Any], value: str) -> None:
    assert wrong(value, rule)


@pytest.mark.parametrize(
    ("text", "length"),
    [("10m", 600.0), ("1h30m", 5400.0), ("100ms", 0.1), ("1.5s", 1.5), (".5s", 0.5), ("0", 0.0), ("-2s", -2.0)],
)
def test_seconds(text: str, length: float) -> None:
    assert seconds(text) == pytest.approx(length)


@pytest.mark.parametrize("text", ["", "m", "10", "10x", "1m ", "1 m", "--1s"])
def test_no_duration(text: str) -> None:
    assert seconds(text) is None


def test_every_example_of_the_vocabulary_fits() -> None:
    assert {
        (e.key, v): wrong(v, e.value) for e in vocabulary().entries.values() for v in e.examples if wrong(v, e.value)
    } == {}
