"""All uses of undocumented parts of Pulumi's Python SDK, each with what happens when the SDK changes.

The first two only save time and fall back to the SDK's default behaviour. The others fail in the test suite at once.
"""

import asyncio
import os
import sys
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pulumi
from pulumi._types import input_type_to_dict, is_input_type
from pulumi.runtime import config as runtime_config
from pulumi.runtime import settings as runtime
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import engine_pb2

DEBUG = "MODELSERVICES_DEBUG"
"""Environment variable: with ``true`` the SDK's debug messages are sent."""

_CALL_STACK = 6
"""Number of frames: those of the SDK, the constructor of the object, and its caller."""


def leave_out_debug_messages() -> None:
    """Send the engine no debug messages from now on in this program run.

    The SDK sends five for each resource and waits for each, which is a sixth of a preview's cost. The engine shows them
    only with ``--debug``, and does not tell the program about it. An SDK that sends them in another way sends them
    again.
    """
    engine = runtime.get_engine()
    if engine is None or os.environ.get(DEBUG) == "true":
        return
    send = engine.Log

    def log(request: Any) -> Any:
        return None if request.severity == engine_pb2.DEBUG else send(request)

    engine.Log = log  # type: ignore[method-assign]


@contextmanager
def short_call_stack() -> Iterator[None]:
    """Let the SDK record only the end of the call stack for an object; its component has the whole one.

    For every object the whole stack takes a tenth of a program's time and a quarter of the state. An SDK that ignores
    ``sys.tracebacklimit`` records all of it.
    """
    before = getattr(sys, "tracebacklimit", None)
    sys.tracebacklimit = _CALL_STACK
    try:
        yield
    finally:
        if before is None:
            del sys.tracebacklimit
        else:
            sys.tracebacklimit = before


def program_run() -> Hashable:
    """The identity of this program run: its connection to the engine.

    Without it, runs in one process (unit tests) would see each other's objects.
    """
    return runtime.get_monitor()


def has_mock_engine() -> bool:
    """Whether the engine is a unit test's. With an SDK that has other mocks, tests would look for a cluster."""
    return isinstance(runtime.get_monitor(), MockMonitor)


def config_of(namespace: str) -> dict[str, tuple[str, bool]]:
    """The stack's config keys in a namespace, each with its text and whether it is a secret.

    ``pulumi.Config`` gives only single keys. An SDK without this table would leave the stack without manifests.
    """
    prefix = f"{namespace}:"
    return {
        name.removeprefix(prefix): (text, runtime_config.is_config_secret(name))
        for name, text in sorted(runtime_config.CONFIG.get().items())
        if name.startswith(prefix)
    }


def deployed_outputs() -> Mapping[str, Any]:
    """The outputs of this stack's last update. ``StackReference`` only gives the outputs of other stacks.

    Raises whatever the engine answers.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    answer: Mapping[str, Any] = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack}).value or {}
    return answer.get("outputs") or {}


def args_as_mapping(value: Any) -> Mapping[str, Any] | None:
    """An ``…Args`` object of a Pulumi package as a mapping; None for anything else.

    With an SDK that marks them in another way they would be refused as values of unknown shape.
    """
    return input_type_to_dict(value) if is_input_type(type(value)) else None


def unknown_output() -> pulumi.Output[Any]:
    """An Output with a value unknown in a preview. ``Output.unknown`` does not exist; a changed constructor raises."""
    is_known: asyncio.Future[bool] = asyncio.Future()
    is_known.set_result(False)
    value: asyncio.Future[Any] = asyncio.Future()
    value.set_result(None)
    return pulumi.Output(set(), value, is_known)
