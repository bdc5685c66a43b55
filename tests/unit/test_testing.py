"""The testing kit: programs of all kinds on the mock engine, and the pytest fixtures.

Not proven here: that the fixtures are found in an installed package (tests/integration/test_examples.py).
"""

import asyncio
from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s
import pytest

from modelservices import InferenceServiceComponent
from modelservices.testing import render

pytest_plugins = ["pytester"]
ARGS = {"namespace": "inference", "model": {"source": "https://models.example.com/m.gguf"}, "spec": {"modelRef": "m"}}


class Bucket(pulumi.CustomResource):
    """A resource of another package, as its SDK has it."""

    arn: pulumi.Output[str]

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("aws:s3/bucket:Bucket", name, {"arn": None, "tags": {"a": "b"}}, opts)


class Role(pulumi.ComponentResource):
    def __init__(self, name: str) -> None:
        super().__init__("mine:index:Role", name)
        Bucket("inside", pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def test_a_program_with_providers_other_packages_calls_and_stack_references():
    def program() -> None:
        provider = k8s.Provider("other", context="x")
        opts = pulumi.ResourceOptions(provider=provider)
        namespace = k8s.core.v1.Namespace("team", opts=opts)
        k8s.helm.v4.Chart("chart", chart="c")
        k8s.yaml.ConfigFile("file", file=str(Path(__file__).parents[2] / "Pulumi.yaml"))
        Bucket("b")
        Role("r")
        network = pulumi.StackReference("org/network/prod")
        found = pulumi.runtime.invoke("aws:ec2/getAmi:getAmi", {"owner": "self"})
        ConfigMap = k8s.core.v1.ConfigMap
        ConfigMap("plain", data={"domain": network.require_output("domain"), "secret": pulumi.Output.secret("s")})
        InferenceServiceComponent("chat", {**ARGS, "namespace": namespace.metadata["name"]}, opts)  # type: ignore[arg-type]
        pulumi.export("missing", network.get_output("nothing"))
        pulumi.export("image", found.value["imageId"] if found.value else None)

    recording = render(
        program,
        calls={"aws:ec2/getAmi:getAmi": {"imageId": "ami-1"}},
        stacks={"org/network/prod": {"domain": "example.com"}},
    )

    assert recording.object("ConfigMap", "plain")["data"] == {"domain": "example.com", "secret": "s"}
    assert recording.object("Deployment", "chat", "team")["metadata"]["namespace"] == "team"
    assert [r.name for r in recording.of_type("aws:s3/bucket:Bucket")] == ["b", "inside"]
    assert recording.outputs == {"missing": None, "image": "ami-1"}
    assert ("aws:ec2/getAmi:getAmi", {"owner": "self"}) in [(call.token, dict(call.args)) for call in recording.calls]


def test_a_program_runs_where_no_event_loop_is_set():
    """As in Python 3.14, and after ``asyncio.run``."""
    asyncio.set_event_loop(None)
    assert render(lambda: InferenceServiceComponent("chat", ARGS)).object("Service", "chat")


def test_several_objects_of_one_name_are_told_apart_by_their_namespace():
    def program() -> None:
        for namespace in ("a", "b"):
            k8s.core.v1.ConfigMap(f"{namespace}-map", metadata={"name": "same", "namespace": namespace})

    recording = render(program)

    assert recording.object("ConfigMap", "same", "b")["metadata"] == {"name": "same", "namespace": "b"}
    with pytest.raises(LookupError, match="several ConfigMap same were registered, in a, b: name one"):
        recording.object("ConfigMap", "same")


def test_a_program_knows_nothing_of_an_earlier_one():
    def failing() -> None:
        pulumi.export("wrong", pulumi.Output.from_input(1).apply(lambda _: 1 // 0))

    with pytest.raises(ZeroDivisionError):
        render(failing)
    assert render(lambda: pulumi.export("right", 1)).outputs == {"right": 1}
    assert render(lambda: None).outputs == {}


PROGRAM = """
from modelservices import InferenceServiceComponent

def program():
    spec = {{"modelRef": "m", "replicas": {replicas}}}
    InferenceServiceComponent("chat", {{"model": {{"source": "https://models.example.com/m.gguf"}}, "spec": spec}})

def test_chat(render_program, objects_snapshot):
    objects_snapshot(render_program(program))
"""


def test_the_snapshot_of_a_program_s_objects(pytester: pytest.Pytester):
    plugin = ("-p", "no:cacheprovider")
    pytester.makepyfile(PROGRAM.format(replicas=1))
    pytester.runpytest_subprocess(*plugin).assert_outcomes(passed=1)
    (snapshot,) = (pytester.path / "snapshots").rglob("*.yaml")
    assert "kind: Deployment" in snapshot.read_text() and snapshot.name == "test_chat.yaml"
    pytester.runpytest_subprocess(*plugin).assert_outcomes(passed=1)

    pytester.makepyfile(PROGRAM.format(replicas=2))
    changed = pytester.runpytest_subprocess(*plugin)
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(["*objects differ*", "-  replicas: 1", "+  replicas: 2"])

    pytester.runpytest_subprocess(*plugin, "--update-objects").assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*plugin).assert_outcomes(passed=1)
