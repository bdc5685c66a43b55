"""Environment variables: merging by name, and what the API server refuses.

Not proved here: that the kubelet expands $(NAME) in the order that we keep.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.core import EnvVar
from modelservices.kubernetes.env import env_problems, merge_env
from modelservices.kubernetes.model import read


def variable(**fields: Any) -> EnvVar:
    found, problems = read(EnvVar, fields)
    assert found is not None, problems
    return found


SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


def test_the_users_entry_takes_the_place_of_a_generated_one_as_a_whole() -> None:
    generated = [{"name": "TOKEN", "valueFrom": SECRET}, {"name": "OTHER", "value": "1"}]
    user = [variable(name="A", value="a"), variable(name="TOKEN", value="$(A)")]
    assert merge_env(generated, user) == [
        {"name": "OTHER", "value": "1"},
        {"name": "A", "value": "a"},
        {"name": "TOKEN", "value": "$(A)"},
    ]


def test_a_reference_takes_the_place_of_a_value() -> None:
    user = [variable(name="X", value=""), variable(name="X", valueFrom=SECRET)]
    assert merge_env([], user) == [{"name": "X", "valueFrom": SECRET}]


def test_a_file_reference_says_whether_it_is_optional() -> None:
    reference = {"key": "K", "path": "a.env", "volumeName": "v"}
    (entry,) = merge_env([], [variable(name="F", valueFrom={"fileKeyRef": reference})])
    assert entry["valueFrom"]["fileKeyRef"] == {"optional": False, **reference}


def test_a_variable_without_a_value_stays() -> None:
    assert merge_env([], [variable(name="EMPTY")]) == [{"name": "EMPTY"}]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"name": "A=B"}, "env[0].name"),
        ({"name": "Ä"}, "env[0].name"),
        ({"name": "X", "value": "1", "valueFrom": SECRET}, "env[0]"),
        ({"name": "X", "valueFrom": {}}, "env[0].valueFrom"),
        ({"name": "X", "valueFrom": {**SECRET, "fieldRef": {"fieldPath": "status.podIP"}}}, "env[0].valueFrom"),
        ({"name": "X", "valueFrom": {"secretKeyRef": {"key": "k"}}}, "env[0].valueFrom.secretKeyRef.name"),
        ({"name": "X", "valueFrom": {"configMapKeyRef": {"key": "k"}}}, "env[0].valueFrom.configMapKeyRef.name"),
        ({"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "spec.image"}}}, "env[0].valueFrom.fieldRef.fieldPath"),
        (
            {"name": "X", "valueFrom": {"resourceFieldRef": {"resource": "cpu"}}},
            "env[0].valueFrom.resourceFieldRef.resource",
        ),
    ],
)
def test_what_the_server_refuses(fields: dict[str, Any], path: str) -> None:
    (problem,) = env_problems([variable(**fields)], "env")
    assert (problem.path, problem.severity) == (path, "error")


@pytest.mark.parametrize("path", ["metadata.name", "metadata.labels['a/b']", "spec.nodeName", "status.hostIPs"])
def test_fields_of_the_pod(path: str) -> None:
    assert list(env_problems([variable(name="X", valueFrom={"fieldRef": {"fieldPath": path}})], "env")) == []


def test_a_name_twice_is_worth_a_warning_and_a_file_needs_its_volume() -> None:
    file = {"fileKeyRef": {"key": "K", "path": "a.env", "volumeName": "v"}}
    found = env_problems([variable(name="X"), variable(name="X", valueFrom=file)], "env")
    assert [(problem.severity, problem.code) for problem in found] == [
        ("warning", "duplicate-env"),
        ("error", "unknown-volume"),
    ]
    assert list(env_problems([variable(name="X", valueFrom=file)], "env", volumes=["v"])) == []
