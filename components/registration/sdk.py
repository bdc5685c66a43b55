"""Every use of what Pulumi's Python SDK does not document, each with what happens when the SDK changes.

What only saves time (the first two) degrades to what the SDK does by itself. The rest fails in the suite at once.
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
"""Frames: those of the SDK, the constructor of the object, and who registered it."""


def leave_out_debug_messages() -> None:
    """Send the engine no debug messages from now on in this program run.

    The SDK sends five for each resource and waits for each; they are a sixth of what a preview costs. The engine shows
    them with ``--debug`` alone, and does not tell the program whether it was asked for. An SDK that sends them another
    way sends them again.
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
    """Let the SDK note where an object is registered without the whole call stack, which its component has.

    Noted for every object it is a tenth of a program's time and a quarter of the state. An SDK that does not go by
    ``sys.tracebacklimit`` notes all of it again.
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
    """What identifies this run of a program: its connection to the engine. Without it, runs in one process (unit tests)
    would see each other's objects."""
    return runtime.get_monitor()


def has_mock_engine() -> bool:
    """Whether the engine is a unit test's. An SDK with other mocks would make tests look for a cluster."""
    return isinstance(runtime.get_monitor(), MockMonitor)


def config_of(namespace: str) -> dict[str, tuple[str, bool]]:
    """Every key of the stack's config in a namespace, with its text and whether it is a secret. ``pulumi.Config`` gives
    single keys only; an SDK without this table would leave the stack without manifests."""
    prefix = f"{namespace}:"
    return {
        name.removeprefix(prefix): (text, runtime_config.is_config_secret(name))
        for name, text in sorted(runtime_config.CONFIG.get().items())
        if name.startswith(prefix)
    }


def deployed_outputs() -> Mapping[str, Any]:
    """The outputs of this stack as its last update left them, which ``StackReference`` gives of other stacks only.
    Raises whatever the engine answers."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    answer: Mapping[str, Any] = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack}).value or {}
    return answer.get("outputs") or {}


def args_as_mapping(value: Any) -> Mapping[str, Any] | None:
    """An ``…Args`` object of a Pulumi package as a mapping; None for anything else. With an SDK that marks them in
    another way they would be refused as values of no known shape."""
    return input_type_to_dict(value) if is_input_type(type(value)) else None


def unknown_output() -> pulumi.Output[Any]:
    """An Output whose value a preview does not know. ``Output.unknown`` does not exist; with another constructor this
    raises."""
    is_known: asyncio.Future[bool] = asyncio.Future()
    is_known.set_result(False)
    value: asyncio.Future[Any] = asyncio.Future()
    value.set_result(None)
    return pulumi.Output(set(), value, is_known)
