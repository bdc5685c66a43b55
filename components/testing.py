"""For unit tests of programs that use the components: runs a program on a mock engine and records what it registers.

    def test_chat():
        recording = render(lambda: InferenceServiceComponent("chat", {...}))
        deployment = recording.object("Deployment", "chat")
        assert deployment["spec"]["replicas"] == 2

It needs no engine, cluster or plugin. Resources of any package, providers, calls and stack references are recorded as
well; ``calls`` and ``stacks`` say what a call or another stack returns. Mocks run neither transforms nor aliases, and
wait for nothing. Pytest has the fixtures ``render_program`` and ``objects_snapshot`` (:mod:`.pytest_plugin`).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.runtime import rpc
from pulumi.runtime import settings as runtime

from .cluster.ownership import is_owner_object
from .kubernetes.objects import Object
from .registration.outputs import whole_numbers

_STACK_REFERENCE = "pulumi:pulumi:StackReference"
_LISTS = frozenset({"kubernetes:yaml:decode", "kubernetes:helm:template", "kubernetes:kustomize:directory"})
"""Functions of the Kubernetes package that return a list of objects."""


@dataclass(frozen=True)
class Registration:
    """One resource as the engine received it: its type token, its name, and its inputs. Secrets are plain here."""

    type: str
    name: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """One call of a package's function: its token and its arguments."""

    token: str
    args: Mapping[str, Any]


@dataclass
class Recording:
    """What a program registered and called, in order, and what it exported."""

    registrations: list[Registration] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def of_type(self, type: str) -> list[Registration]:
        """The registrations of one type token (``modelservices:index:InferenceServiceComponent``)."""
        return [registration for registration in self.registrations if registration.type == type]

    def objects(self) -> list[Object]:
        """The Kubernetes objects as ``render`` prints them, without what only Pulumi and ownership need."""
        registered = [r for r in self.registrations if r.type.startswith("kubernetes:") and "kind" in r.inputs]
        return [obj for obj in map(_object, registered) if not is_owner_object(obj)]

    def object(self, kind: str, name: str, namespace: str | None = None) -> Object:
        """One Kubernetes object; ``namespace`` chooses between several of one name.

        Raises LookupError, naming those that exist.
        """
        matching = [
            obj
            for obj in self.objects()
            if (obj["kind"], _name(obj)) == (kind, name) and namespace in (None, _namespace(obj))
        ]
        if len(matching) == 1:
            return matching[0]
        wanted = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
        if matching:
            raise LookupError(
                f"several {wanted} were registered, in {', '.join(sorted(map(_namespace, matching)))}: name one"
            )
        there = ", ".join(f"{obj['kind']} {_name(obj)}" for obj in self.objects())
        raise LookupError(f"no {wanted} was registered; there are: {there or 'no objects'}")


def _name(obj: Object) -> str:
    return obj.get("metadata", {}).get("name", "")


def _namespace(obj: Object) -> str:
    return obj.get("metadata", {}).get("namespace", "")


def _object(registration: Registration) -> Object:
    obj = {key: value for key, value in registration.inputs.items() if value is not None}
    stated = obj.get("metadata")
    if not isinstance(stated, Mapping):
        return {**obj, "metadata": {"name": registration.name}}
    annotations = stated.get("annotations") or {}
    kept = {key: value for key, value in annotations.items() if not key.startswith("pulumi.com/")}
    metadata = {key: value for key, value in stated.items() if key not in ("annotations", "ownerReferences")}
    return {**obj, "metadata": {"name": registration.name, **metadata, **({"annotations": kept} if kept else {})}}


class _Mocks(pulumi.runtime.Mocks):
    """Answers like a cluster in which every workload is ready at once."""

    def __init__(
        self,
        recording: Recording,
        calls: Mapping[str, Mapping[str, Any]],
        stacks: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.recording, self.calls, self.stacks = recording, calls, stacks

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        inputs = _plain(dict(args.inputs))
        self.recording.registrations.append(Registration(args.typ, args.name, whole_numbers(inputs)))
        if args.typ == _STACK_REFERENCE:
            outputs = dict(self.stacks.get(str(inputs.get("name", args.name)), {}))
            return args.name, {"name": args.name, "outputs": outputs, "secretOutputNames": []}
        identified = {"metadata": _identified(args.name, inputs)} if args.typ.startswith("kubernetes:") else {}
        return f"{args.name}-id", {**inputs, **identified, "status": _ready(inputs)} if identified else inputs

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[Any, Any]:
        self.recording.calls.append(Call(args.token, _plain(dict(args.args))))
        return dict(self.calls.get(args.token, {"result": []} if args.token in _LISTS else {}))


def _identified(name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata as a cluster completes it: with an identity, and a name if the program leaves that to Pulumi."""
    metadata = inputs.get("metadata")
    return {"name": name, **(metadata if isinstance(metadata, Mapping) else {}), "uid": f"{name}-uid"}


def _plain(value: Any) -> Any:
    if rpc.is_rpc_secret(value):
        return _plain(rpc.unwrap_rpc_secret(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


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
    calls: Mapping[str, Mapping[str, Any]] | None = None,
    stacks: Mapping[str, Mapping[str, Any]] | None = None,
) -> Recording:
    """Run a program on the mock engine.

    ``config`` has full keys (``modelservices:target``); ``preview`` makes it a dry run, in which values from a cluster
    are unknown. ``calls``: function token to its result (``aws:ec2/getAmi:getAmi``), ``stacks``: stack name to its
    outputs, for stack references. By default results and outputs are empty.
    """
    recording = Recording()
    loop = _event_loop()
    runtime.ROOT.set(None)  # the root has the exports of an earlier program
    mocks = _Mocks(recording, calls or {}, stacks or {})
    pulumi.runtime.set_mocks(mocks, project=project, stack=stack, preview=preview)
    pulumi.runtime.set_all_config({**(config or {})}, [])

    def run() -> pulumi.Output[Any] | None:
        program()
        root = runtime.get_root_resource()
        return pulumi.Output.from_input(dict(getattr(root, "outputs", {}) or {})).apply(recording.outputs.update)

    try:
        pulumi.runtime.test(run)()
    finally:
        _cancel_what_is_left(loop)
    return recording


def _event_loop() -> asyncio.AbstractEventLoop:
    """The thread's event loop, which the SDK's mocks need. Since Python 3.14 there is none unless it was set."""
    try:
        return asyncio.get_event_loop()
    except RuntimeError:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        return loop


def _cancel_what_is_left(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what a failed program has not awaited: it would fail in the next program of this process."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
