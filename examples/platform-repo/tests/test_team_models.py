"""The team's own rules about its models. Does not prove that a cluster runs them: that is `pulumi up`'s part."""

import pytest
from team_models import deploy

from modelservices import InvalidArguments
from modelservices.testing import render


def test_pods_carry_the_cost_center():
    deployment = render(deploy).object("Deployment", "chat")
    assert deployment["spec"]["template"]["metadata"]["labels"]["cost-center"] == "team-a"


def test_the_image_comes_from_the_config():
    recording = render(deploy, project="team-models", config={"team-models:tag": "b10068"})
    (container,) = recording.object("Deployment", "chat")["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/llama.cpp:b10068"


def test_the_endpoint_is_exported():
    outputs = render(deploy).outputs
    assert outputs["chatEndpoint"] == "http://chat.team-a.svc.cluster.local:8080/v1/chat/completions"


def test_the_objects_are_those_of_the_last_review(render_program, objects_snapshot):
    objects_snapshot(render_program(deploy))


def test_too_many_replicas_are_refused_before_anything_is_registered():
    with pytest.raises(InvalidArguments, match=r"spec\.replicas: must be between 0 and 10, got 50"):
        render(deploy, project="team-models", config={"team-models:replicas": "50"})
