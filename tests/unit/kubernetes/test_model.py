"""Problems of a manifest as sentences with paths. Does not prove the bounds of any family's fields."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from modelservices.findings import Problem
from modelservices.kubernetes.core import EnvVar, ResourceRequirements, Volume
from modelservices.kubernetes.model import Manifest, Spec, dump, read
from modelservices.kubernetes.scalars import Boolean, Int32, Integer, Opaque, PassedText, Plain, Port, Strings, Text


class Inner(Spec):
    type: Literal["ClusterIP", "NodePort"] = "ClusterIP"
    factor: Annotated[Text, Field(pattern=r"^[0-9]+$")] | None = None
    size: Annotated[Integer, Field(ge=1)] | None = None


class Example(Spec):
    name: Text
    most: Int32 | None = None
    replicas: Annotated[Integer, Field(ge=0, le=10)] = 1
    enabled: Boolean | None = None
    port: Port | None = None
    image: PassedText | None = None
    inner: Inner | None = None
    env: list[EnvVar] = []
    labels: Strings = {}
    resources: ResourceRequirements | None = None
    volumes: list[Volume] = []


def problems(**values: object) -> list[str]:
    _, found = read(Example, {"name": "x", **values})
    return [f"{problem.path}: {problem.message}" for problem in found]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"replicas": Plain("11")}, "replicas: must be between 0 and 10, got 11"),
        ({"most": 2**31}, "most: must be less than 2147483648, got 2147483648"),
        ({"replica": 1}, "replica: is not a known field; did you mean replicas?"),
        ({"Replicas": 1}, "Replicas: is not a known field; did you mean replicas?"),
        ({"port": 70000}, "port: must be between 1 and 65535, got 70000"),
        ({"enabled": Plain("perhaps")}, "enabled: must be true or false, got perhaps"),
        ({"inner": {"type": "Nodeport"}}, "inner.type: must be one of ClusterIP, NodePort, got 'Nodeport'"),
        ({"inner": {"size": 0}}, "inner.size: must be 1 or more, got 0"),
        ({"inner": {"factor": "x"}}, "inner.factor: must match ^[0-9]+$, got 'x'"),
        ({"inner": []}, "inner: must be a mapping, got a list"),
        ({"inner": {"typ": 1}}, "inner.typ: is not a known field; did you mean type?"),
        ({"env": [{"name": "A"}, {"value": "b"}]}, "env[1].name: is required"),
        ({"env": {"name": "A"}}, "env: must be a list, got a mapping"),
        ({"labels": {"a.b/c": ["x"]}}, 'labels["a.b/c"]: must be a string, got a list'),
        ({"resources": {"limits": {"memory": "2gb"}}}, "resources.limits.memory: must be a quantity such as 500m, 2 or 4Gi, got '2gb'"),  # noqa: E501
        ({"name": Opaque(1)}, "name: decides what is rendered, so it must be a plain value, got an Output"),
        ({"image": 1.5}, "image: must be a string, got the number 1.5; quote it to keep it as written"),
    ],
)  # fmt: skip
def test_one_problem(values: dict, expected: str):
    assert problems(**values) == [expected]


def test_all_problems_at_once_sorted_by_path():
    found = problems(replicas=99, port=0, nam="x", env=[{}])
    assert [line.partition(":")[0] for line in found] == ["env[0].name", "nam", "port", "replicas"]


def test_codes():
    _, found = read(Example, {"port": 0, "prt": 1})
    assert {(problem.path, problem.code) for problem in found} == {
        ("name", "required"), ("port", "bad-value"), ("prt", "unknown-field"),
    }  # fmt: skip


def test_unknown_fields_can_be_warnings():
    example, found = read(Example, {"name": "x", "futur": 1, "inner": {"size": 2, "old": 1}}, ignore_unknown=True)
    assert example == Example(name="x", inner=Inner(size=2))
    assert [(problem.path, problem.severity) for problem in found] == [("futur", "warning"), ("inner.old", "warning")]


def test_ignoring_unknown_fields_ignores_nothing_else():
    example, found = read(Example, {"futur": 1, "port": 0}, ignore_unknown=True)
    assert example is None
    assert {problem.path: problem.severity for problem in found} == {
        "futur": "warning",
        "name": "error",
        "port": "error",
    }


def test_a_model_dumps_what_was_given():
    example, _ = read(
        Example, {"name": "x", "volumes": [{"name": "v", "emptyDir": {}}], "resources": {"limits": {"cpu": 1}}}
    )
    assert example is not None
    assert dump(example) == {
        "name": "x",
        "volumes": [{"name": "v", "emptyDir": {}}],
        "resources": {"limits": {"cpu": "1"}},
    }


def test_what_a_live_cluster_adds_to_metadata_is_ignored():
    metadata = {
        "name": "a",
        "uid": "1",
        "managedFields": [{}],
        "ownerReferences": [{}],
        "finalizers": ["f"],
        "generation": 3,
    }
    manifest, found = read(
        Manifest, {"apiVersion": "v1", "kind": "X", "metadata": metadata, "status": {"phase": "Ready"}}
    )
    assert found == []
    assert manifest is not None
    assert dump(manifest.metadata) == {"name": "a"}


def test_a_typo_in_metadata_is_found():
    _, found = read(Manifest, {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a", "anotations": {}}})
    assert found == [
        Problem("metadata.anotations", "is not a known field; did you mean annotations?", code="unknown-field")
    ]


def test_something_else_than_a_mapping_is_a_problem() -> None:
    class Empty(Spec):
        pass

    for value in (None, 1, "text", [1]):
        model, problems = read(Empty, value)
        assert model is None
        assert [problem.path for problem in problems] == [""]


def test_an_empty_default_is_each_model_s_own_and_stands_in_the_schema() -> None:
    class Holder(Spec):
        items: list[Text] = []
        named: Strings = {}

    (one, _), (other, _) = read(Holder, {}), read(Holder, {})
    assert one is not None and other is not None
    assert (one.items, one.named) == ([], {})
    assert one.items is not other.items and one.named is not other.named
    assert dump(one) == {}
    properties = Holder.model_json_schema()["properties"]
    assert (properties["items"]["default"], properties["named"]["default"]) == ([], {})
