"""What a manifest and its custom resource say otherwise. How `adopt` uses it is in test_takeover.py."""

import json
from typing import Any

from modelservices.cluster.edits import edits
from modelservices.kubernetes.objects import Object


def custom(applied: Any = None, **spec: Any) -> Object:
    text = json.dumps({"spec": applied}) if isinstance(applied, dict) else applied
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": text} if text else {}
    return {"metadata": {"name": "chat", "annotations": annotations}, "spec": spec}


def test_defaults_of_the_definition_are_no_difference():
    assert edits(custom(replicas="1"), custom(replicas=1, suspend=False, endpoint={"port": 8080})) == []


def test_what_only_the_custom_resource_has_is_named():
    env = [{"name": "A", "value": "1"}, {"name": "ADDED", "value": "1"}]
    assert edits(custom(env=env[:1]), custom(env=env)) == ["spec.env[ADDED]"]
    assert edits(custom(), custom({"image": "a:1"}, image="a:1", suspend=False)) == ["spec.image"]
    assert edits(custom(image="a:2"), custom("no JSON", image="a:1")) == ["spec.image"]
