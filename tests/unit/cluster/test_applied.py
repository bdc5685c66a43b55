"""When a live object is as it would be applied. What the API server makes of an apply is not asked here."""

import copy
from typing import Any

import pytest

from modelservices.cluster.applied import is_applied

OBJECT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "chat", "namespace": "n", "labels": {"app": "chat"}},
    "spec": {
        "replicas": 2,
        "template": {
            "spec": {
                "containers": [
                    {
                        "name": "server",
                        "image": "a:1",
                        "args": ["--port", "80"],
                        "ports": [{"name": "http", "containerPort": 80}],
                    }
                ]
            }
        },
    },
}
PORT = {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}, "f:name": {}}}
CONTAINER = {
    'k:{"name":"server"}': {".": {}, "f:name": {}, "f:image": {}, "f:args": {}, "f:ports": PORT},
}
FIELDS: dict[str, Any] = {
    "f:metadata": {
        "f:labels": {"f:app": {}},
        "f:annotations": {"f:pulumi.com/patchForce": {}},
    },
    "f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": CONTAINER}}},
}


def live() -> dict[str, Any]:
    """The object as the API server has it: with defaults, an annotation of Pulumi's and what a controller added."""
    found = copy.deepcopy(OBJECT)
    found["metadata"] |= {
        "uid": "1",
        "annotations": {"pulumi.com/patchForce": "true", "deployment.kubernetes.io/revision": "1"},
        "managedFields": [
            {"manager": "m", "operation": "Apply", "fieldsV1": FIELDS},
            {"manager": "kube-controller-manager", "subresource": "status", "fieldsV1": {"f:status": {}}},
        ],
    }
    container = found["spec"]["template"]["spec"]["containers"][0]
    container["ports"][0]["protocol"] = "TCP"
    container["terminationMessagePath"] = "/dev/termination-log"
    return found


def test_defaults_and_what_others_own_are_no_change():
    assert is_applied(OBJECT, live(), "m")


def test_what_another_manager_applied_is_a_change():
    assert not is_applied(OBJECT, live(), "other")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "replicas"), 3),
        (("spec", "replicas"), "2"),
        (("metadata", "labels"), {"app": "chat", "team": "a"}),
        (("spec", "template", "spec", "containers", 0, "image"), "a:2"),
        (("spec", "template", "spec", "containers", 0, "args"), ["80", "--port"]),
        (("spec", "template", "spec", "containers", 0, "args"), ["--port"]),
    ],
)
def test_another_value_is_a_change(path: tuple[Any, ...], value: Any):
    wanted = copy.deepcopy(OBJECT)
    place: Any = wanted
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    assert not is_applied(wanted, live(), "m")


@pytest.mark.parametrize(
    "path",
    [
        ("metadata", "labels"),
        ("spec", "replicas"),
        ("spec", "template", "spec", "containers", 0, "args"),
        ("spec", "template", "spec", "containers", 0, "ports"),
    ],
)
def test_a_field_that_is_no_longer_said_is_a_change(path: tuple[Any, ...]):
    wanted = copy.deepcopy(OBJECT)
    place: Any = wanted
    for part in path[:-1]:
        place = place[part]
    del place[path[-1]]
    assert not is_applied(wanted, live(), "m")


def test_items_of_a_set_are_known_by_their_value():
    found = live()
    found["metadata"] |= {"finalizers": ["a/b"]}
    found["metadata"]["managedFields"][0]["fieldsV1"] = {"f:metadata": {"f:finalizers": {'v:"a/b"': {}}}}
    assert not is_applied(OBJECT, found, "m")
    assert is_applied({**OBJECT, "metadata": {**OBJECT["metadata"], "finalizers": ["a/b"]}}, found, "m")
