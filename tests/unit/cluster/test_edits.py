"""What a manifest and its custom resource say otherwise. How `adopt` uses it is in test_takeover.py."""

import json
from typing import Any

from modelservices.cluster.edits import edits
from modelservices.kubernetes.objects import Object


def custom(applied: Any = None, managed: Any = (), **spec: Any) -> Object:
    text = json.dumps({"spec": applied}) if isinstance(applied, dict) else applied
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": text} if text else {}
    return {"metadata": {"name": "chat", "annotations": annotations, "managedFields": list(managed)}, "spec": spec}


def entry(operation: str, *fields: str, manager: str = "flux", **more: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "fieldsV1": {"f:spec": {f"f:{name}": {} for name in fields}},
        **more,
    }


def test_defaults_of_the_definition_are_no_difference():
    assert edits(custom(replicas="1"), custom(replicas=1, suspend=False, endpoint={"port": 8080})) == []


def test_what_only_the_custom_resource_has_is_named():
    env = [{"name": "A", "value": "1"}, {"name": "ADDED", "value": "1"}]
    assert edits(custom(env=env[:1]), custom(env=env)) == ["spec.env[ADDED]"]
    assert edits(custom(), custom({"image": "a:1"}, image="a:1", suspend=False)) == ["spec.image"]
    assert edits(custom(image="a:2"), custom("no JSON", image="a:1")) == ["spec.image"]


def test_a_removed_field_that_was_applied_on_the_server_is_named():
    """An updater owns the defaults that the API server filled in, too; who applies owns what was applied."""
    spec = {"image": "a:1", "suspend": False, "endpoint": {"port": 80, "type": "ClusterIP"}}
    applied = entry("Apply", "image", "replicas")
    applied["fieldsV1"]["f:spec"]["f:endpoint"] = {"f:port": {}}
    assert edits(custom(), custom(managed=[applied], **spec)) == ["spec.endpoint", "spec.image"]
    assert edits(custom(endpoint={}), custom(managed=[applied], image="a:1", endpoint=spec["endpoint"])) == [
        "spec.endpoint.port",
        "spec.image",
    ]
    assert edits(custom(), custom(managed=[entry("Update", "image", "suspend")], **spec)) == []
    assert edits(custom(), custom(managed=[entry("Apply", "image", subresource="status")], **spec)) == []


def test_defaults_in_applied_lists_are_no_difference():
    """OME's CRD fills in how a runtime's formats are compared."""
    formats = [{"name": "safetensors", "modelFormat": {"version": "1.0.0"}}]
    there = [{"name": "safetensors", "modelFormat": {"version": "1.0.0", "operator": "Equal", "weight": 1}}]
    assert edits(custom(formats=formats), custom({"formats": formats}, formats=there)) == []
    changed = [{"name": "safetensors", "modelFormat": {}}]
    assert edits(custom(formats=changed), custom({"formats": formats}, formats=there)) == [
        "spec.formats[safetensors].modelFormat.version"
    ]


def test_what_was_applied_in_another_api_version_is_compared_as_it_is_converted():
    """Fields that this version does not have are no difference, nor those that somebody has removed since."""
    before = {"pool": {"extensionRef": {"name": "p"}, "port": 80}, "criticality": "Critical"}
    there = {"pool": {"endpointPickerRef": {"name": "p"}, "port": 80}}
    assert edits(custom(**there), custom(before, [entry("Apply", "criticality")], **there)) == []
    assert edits(custom(), custom(before, **there)) == ["spec.pool"]
