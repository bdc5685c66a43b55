"""For unit tests of programs that use the components: run a program on a mock engine and look at what it registered.

    def test_chat():
        recording = render(lambda: InferenceServiceComponent("chat", {...}))
        deployment = recording.object("Deployment", "chat")
        assert deployment["spec"]["replicas"] == 2

No engine, no cluster, no plugin. Mocks run neither transforms nor aliases, and wait for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.runtime import settings as runtime

from .cluster.ownership import is_owner_object
from .kubernetes.objects import Object
from .registration.outputs import whole_numbers


@dataclass(frozen=True)
class Registration:
    """One resource as the engine got it: its type token, its name, and its inputs."""

    type: str
    name: str
    inputs: Mapping[str, Any]


@dataclass
class Recording:
    """What a program registered, in order, and what it exported."""

    registrations: list[Registration] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    def of_type(self, type: str) -> list[Registration]:
        """The registrations of one type token (``modelservices:index:InferenceServiceComponent``)."""
        return [registration for registration in self.registrations if registration.type == type]

    def objects(self) -> list[Object]:
        """The Kubernetes objects, without what only Pulumi and ownership need: what ``render`` prints."""
        found = [r for r in self.registrations if r.type.startswith("kubernetes:") and "kind" in r.inputs]
        return [_object(registration) for registration in found if not is_owner_object(registration.inputs)]

    def object(self, kind: str, name: str) -> Object:
        """One Kubernetes object. Raises LookupError, naming those that there are."""
        found = [obj for obj in self.objects() if (obj["kind"], obj["metadata"]["name"]) == (kind, name)]
        if not found:
            there = ", ".join(f"{obj['kind']} {obj['metadata']['name']}" for obj in self.objects())
            raise LookupError(f"no {kind} {name} was registered; there are: {there or 'no objects'}")
        return found[0]


def _object(registration: Registration) -> Object:
    obj = {key: value for key, value in registration.inputs.items() if value is not None}
    annotations = obj["metadata"].get("annotations", {})
    kept = {key: value for key, value in annotations.items() if not key.startswith("pulumi.com/")}
    metadata = {key: value for key, value in obj["metadata"].items() if key not in ("annotations", "ownerReferences")}
    return {**obj, "metadata": {**metadata, "annotations": kept} if kept else metadata}


class _Mocks(pulumi.runtime.Mocks):
    """Answers as a cluster in which every workload became ready at once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.recording.registrations.append(Registration(args.typ, args.name, whole_numbers(dict(args.inputs))))
        is_object = args.custom and isinstance(args.inputs.get("metadata"), Mapping)
        identified = {"metadata": {**args.inputs["metadata"], "uid": f"{args.name}-uid"}} if is_object else {}
        return f"{args.name}-id", {**args.inputs, **identified, "status": _ready(args.inputs)}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[Any, Any]:
        return {}


def _ready(inputs: Mapping[str, Any]) -> dict[str, Any]:
    spec = inputs.get("spec")
    if not isinstance(spec, Mapping) or "template" not in spec:
        return {}
    replicas = spec.get("replicas", 1)
    return {"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas}


def render(
    program: Callable[[], Any],
    *,
    project: str = "modelservices",
    stack: str = "test",
    config: Mapping[str, str] | None = None,
    preview: bool = False,
) -> Recording:
    """Run a program on the mock engine. ``config`` has full keys (``modelservices:target``); ``preview`` makes it a
    dry run, in which what only a cluster can say is unknown."""
    recording = Recording()
    pulumi.runtime.set_mocks(_Mocks(recording), project=project, stack=stack, preview=preview)
    pulumi.runtime.set_all_config({**(config or {})}, [])

    def run() -> pulumi.Output[Any] | None:
        program()
        root = runtime.get_root_resource()
        return pulumi.Output.from_input(dict(getattr(root, "outputs", {}) or {})).apply(recording.outputs.update)

    pulumi.runtime.test(run)()
    return recording
