"""The example for the Pulumi Kubernetes Operator, applied on an API server with its Stack resource.

The resource's definition is built from the list of fields beside this file. Not proven here: what the operator does.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError, ResourceNotFoundError

from tests.integration.stacks import REPOSITORY
from tests.integration.strictness import refusal
from tests.integration.waiting import eventually

FIELDS = Path(__file__).with_name("pulumi_operator_fields.tsv")
EXAMPLE = list(yaml.safe_load_all((REPOSITORY / "examples/pulumi-operator/stacks.yaml").read_text()))
STACKS = [obj for obj in EXAMPLE if obj["kind"] == "Stack"]
_OPEN = {"x-kubernetes-preserve-unknown-fields": True}


def rows() -> Iterator[tuple[list[str], str, bool, list[str]]]:
    """Path, type, whether it is required, and allowed values of each field."""
    for line in FIELDS.read_text().splitlines():
        if not line.startswith("#"):
            path, kind, required, values = (*line.split("\t"), "", "")[:4]
            yield path.split("."), kind, bool(required), values.split()


def schema_of(kind: str) -> dict[str, Any]:
    for word, key in (("array of ", "items"), ("map of ", "additionalProperties")):
        if kind.startswith(word):
            return {"type": "array" if key == "items" else "object", key: schema_of(kind.removeprefix(word))}
    return {"any": _OPEN, "int-or-string": {"x-kubernetes-int-or-string": True}}.get(kind) or {"type": kind}


def schema() -> dict[str, Any]:
    """The OpenAPI schema of a Stack, with exactly the listed fields."""
    root: dict[str, Any] = {"type": "object", "properties": {"spec": {"type": "object"}}}
    for steps, kind, required, values in rows():
        parent = root
        for step in steps[:-1]:
            parent = parent["properties"][step.rstrip("[]{}")]
            parent = parent["items"] if step.endswith("[]") else parent
            parent = parent["additionalProperties"] if step.endswith("{}") else parent
        field = schema_of(kind) | ({"enum": values} if values else {})
        parent.setdefault("properties", {})[steps[-1]] = field
        if required:
            parent.setdefault("required", []).append(steps[-1])
    return root


@pytest.fixture(scope="module")
def knowing(api: DynamicClient) -> DynamicClient:
    """The cluster with the Stack resource, which stays: another test may have discovered it."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema()}}
    names = {"kind": "Stack", "listKind": "StackList", "plural": "stacks", "singular": "stack"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "stacks.pulumi.com"},
        "spec": {"group": "pulumi.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }
    resource = api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    resource.server_side_apply(body=definition, name="stacks.pulumi.com", field_manager="test")
    eventually(lambda: is_served(api), "the Stack resource")
    return api


def is_served(api: DynamicClient) -> bool:
    api.resources.invalidate_cache()
    with contextlib.suppress(ResourceNotFoundError, NotFoundError):
        api.resources.get(api_version="pulumi.com/v1", kind="Stack").get(namespace="default")
        return True
    return False


@pytest.mark.parametrize("obj", EXAMPLE, ids=lambda obj: f"{obj['kind']} {obj['metadata']['name']}")
def test_the_server_takes_the_example(knowing: DynamicClient, obj: dict[str, Any]):
    assert refusal(knowing, obj) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"serviceAccount": "team-a"}, ".spec.serviceAccount: field not declared in schema"),
        ({"resyncFrequencySeconds": "often"}, "spec.resyncFrequencySeconds"),
        ({"envRefs": {"TOKEN": {"secret": {"name": "a", "key": "b"}}}}, "spec.envRefs.TOKEN.type: Required value"),
    ],
)
def test_the_server_refuses_wrong_stacks(knowing: DynamicClient, change: dict[str, Any], said: str):
    wrong = {**STACKS[0], "spec": STACKS[0]["spec"] | change}
    assert said in refusal(knowing, wrong)


def test_every_account_of_a_stack_is_there_and_may_run_a_workspace():
    accounts = {obj["metadata"]["name"] for obj in EXAMPLE if obj["kind"] == "ServiceAccount"}
    bound = [obj for obj in EXAMPLE if obj.get("roleRef", {}).get("name") == "system:auth-delegator"]
    delegating = {subject["name"] for obj in bound for subject in obj["subjects"]}
    assert {stack["spec"]["serviceAccountName"] for stack in STACKS} == accounts == delegating
