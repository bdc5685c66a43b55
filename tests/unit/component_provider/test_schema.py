"""What the plugin says about the components to other languages, without an engine: names, types, descriptions.

That an engine can use it, what SDKs make of it and what the components do, is for the integration tests.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from component_provider.host import COMPONENTS, Components

COMMON_INPUTS = {"name", "namespace", "labels", "annotations", "manifests", "settings", "spec"}
OUTPUTS = ["phase", "endpoint", "readyReplicas", "desiredReplicas", "conditions", "details"]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    text = Components().schema
    assert text is not None
    return json.loads(text)


def type_of(schema: dict[str, Any], *path: str) -> dict[str, Any]:
    """The property at the end of a path through the types, from a component's inputs on."""
    component, *steps = path
    fields = schema["resources"][f"modelservices:index:{component}"]["inputProperties"]
    for step in steps[:-1]:
        found = fields[step].get("items", fields[step])
        fields = schema["types"][found["$ref"].removeprefix("#/types/")]["properties"]
    return fields[steps[-1]]


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for token, thing in [*schema["resources"].items(), *schema["types"].items()]:
        for name, body in {**thing.get("properties", {}), **thing.get("inputProperties", {})}.items():
            yield f"{token}.{name}", body


def test_schema_has_every_component_with_its_required_inputs(schema):
    resources = schema["resources"]

    assert {token.rpartition(":")[2] for token in resources} == COMPONENTS
    required = {token.rpartition(":")[2]: sorted(resource["requiredInputs"]) for token, resource in resources.items()}
    assert required == {component: ["spec"] for component in required} | {
        "EPPComponent": ["poolName"],
        "InferenceServiceComponent": ["model", "spec"],
    }


def test_schema_has_the_common_properties(schema):
    resources = schema["resources"]

    assert all(resource["required"] == OUTPUTS for resource in resources.values())
    assert all(
        set(resource["inputProperties"]) - {"model"} == COMMON_INPUTS
        for token, resource in resources.items()
        if not token.endswith(":EPPComponent")
    )


def test_schema_describes_every_type(schema):
    described = [*schema["resources"].items(), *schema["types"].items()]

    assert [token for token, thing in described if not thing.get("description")] == []
    assert [name for name, body in properties(schema) if not body.get("description")] == []


def test_no_input_but_what_is_free_form_is_any(schema):
    spec = type_of(schema, "InferenceServiceComponent", "spec")
    assert spec["$ref"] == "#/types/modelservices:llmkube:InferenceServiceSpec"
    assert type_of(schema, "LLMInferenceServiceComponent", "spec", "router", "scheduler")["$ref"].startswith("#/types/")
    assert type_of(schema, "PrefillDecodeComponent", "settings", "otterscale")["$ref"].startswith("#/types/")


def test_enums_and_defaults(schema):
    runtime = type_of(schema, "InferenceServiceComponent", "spec", "runtime")
    choices = schema["types"][runtime["$ref"].removeprefix("#/types/")]["enum"]
    assert {"name": "Vllm", "value": "vllm"} in choices
    replicas = type_of(schema, "InferenceServiceComponent", "spec", "replicas")
    assert replicas["type"] == "integer" and replicas["description"].endswith("Default: `1`.")


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        (("spec",), True),
        (("spec", "replicas"), True),
        (("spec", "runtime"), True),
        (("spec", "image"), False),
        (("spec", "env", "value"), False),
        (("spec", "resources", "memory"), False),
        (("namespace",), False),
        (("model", "source"), False),
        (("name",), True),
    ],
)
def test_what_is_passed_on_may_be_an_output_and_the_rest_is_plain(schema, path: tuple[str, ...], plain: bool):
    assert type_of(schema, "InferenceServiceComponent", *path).get("plain", False) is plain


def test_labels_are_a_plain_mapping_of_values_that_may_be_outputs(schema):
    labels = type_of(schema, "PrefillDecodeComponent", "labels")
    assert labels["plain"] is True and labels["additionalProperties"] == {"type": "string"}


def test_every_language_can_write_every_name(schema):
    written = re.compile(r"[a-z][A-Za-z0-9]*")
    assert [name for name, _ in properties(schema) if not written.fullmatch(name.rpartition(".")[2])] == []


def test_a_key_with_hyphens_is_in_camel_case(schema):
    path = ("settings", "kserve", "autoscalingWvaControllerConfig", "prometheus", "url")
    assert type_of(schema, "LLMInferenceServiceComponent", *path)["type"] == "string"
