"""What the provider is told to wait for, and what is noted of each object. That it waits is shown in
tests/integration."""

import json
import sys
from typing import Any

import pytest
from pulumi.runtime import settings as runtime

from modelservices import EPPComponent
from modelservices.testing import render


def wait_for(**spec: object) -> list[str]:
    """The conditions under which the provider takes an endpoint picker's Deployment for ready; none: its own."""
    recording = render(lambda: EPPComponent("picker", {"poolName": "llama", "spec": spec}))
    (deployment,) = [r for r in recording.registrations if r.type == "kubernetes:apps/v1:Deployment"]
    return json.loads(deployment.inputs["metadata"]["annotations"].get("pulumi.com/waitFor", "[]"))


def test_of_pods_that_elect_a_leader_one_is_enough():
    assert wait_for(replicas=3)[:-1] == [
        "jsonpath={.status.replicas}=3",
        "jsonpath={.status.updatedReplicas}=3",
        "jsonpath={.status.readyReplicas}",
    ]


def test_what_is_awaited_has_the_metadata_that_were_applied():
    first, again, another = (wait_for(replicas=3, labels=labels)[-1] for labels in ({}, {}, {"team": "a"}))
    assert first.startswith("jsonpath={.metadata.annotations[?search(@, 'metadata ")
    assert first == again != another


@pytest.mark.parametrize(("value", "elects"), [("true", True), ("false", False)])
def test_the_users_own_flag_counts(value: str, elects: bool):
    assert bool(wait_for(replicas=2, flags={"ha-enable-leader-election": value})) is elects


def test_other_pods_are_awaited_by_the_providers_own_rule():
    assert wait_for(replicas=1) == []


def test_of_an_object_is_noted_where_it_is_registered_and_of_a_component_who_made_it():
    frames: dict[str, int] = {}

    def program() -> None:
        monitor = runtime.get_monitor()
        register = monitor.RegisterResource  # type: ignore[union-attr]

        def noted(request: Any) -> Any:
            frames[request.type] = len(request.stackTrace.frames)
            return register(request)

        monitor.RegisterResource = noted  # type: ignore[union-attr]
        EPPComponent("picker", {"poolName": "llama", "spec": {}})

    render(program)
    assert frames["modelservices:index:EPPComponent"] > 3
    assert {count for token, count in frames.items() if token.startswith("kubernetes:")} == {1}
    assert not hasattr(sys, "tracebacklimit")
