"""What the plugin says about the components to other languages, without an engine: names, types, descriptions.

That an engine can use it, and what the components do, is for the integration tests.
"""

import json
from typing import Any

import pytest

from component_provider.host import COMPONENTS, Components

COMMON_INPUTS = {"name", "namespace", "labels", "annotations", "manifests", "settings", "spec"}
OUTPUTS = ["conditions", "desiredReplicas", "details", "endpoint", "phase", "readyReplicas"]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    text = Components().schema
    assert text is not None
    return json.loads(text)


def test_schema_has_every_component_with_its_required_inputs(schema):
    resources = schema["resources"]

    assert {token.rpartition(":")[2] for token in resources} == {component.__name__ for component in COMPONENTS}
    required = {token.rpartition(":")[2]: resource["requiredInputs"] for token, resource in resources.items()}
    assert required == {component: ["spec"] for component in required} | {
        "EPPComponent": ["poolName"],
        "InferenceServiceComponent": ["model", "spec"],
    }


def test_schema_has_the_inherited_properties(schema):
    resources = schema["resources"]

    assert all(resource["required"] == OUTPUTS for resource in resources.values())
    assert all(
        set(resource["inputProperties"]) - {"model"} == COMMON_INPUTS
        for token, resource in resources.items()
        if not token.endswith(":EPPComponent")
    )


def test_schema_describes_everything(schema):
    described = [*schema["resources"].items(), *schema["types"].items()]
    properties = [
        (f"{token}.{name}", body)
        for token, thing in described
        for name, body in {**thing["properties"], **thing.get("inputProperties", {})}.items()
    ]

    assert [token for token, thing in described if not thing.get("description")] == []
    assert [name for name, body in properties if not body.get("description")] == []


def test_values_inside_a_spec_may_be_outputs_and_the_spec_itself_is_plain(schema):
    spec = schema["resources"]["modelservices:index:PrefillDecodeComponent"]["inputProperties"]["spec"]

    assert spec["plain"] is True
    assert spec["additionalProperties"]["$ref"] == "pulumi.json#/Any"
    assert "plain" not in spec["additionalProperties"]
