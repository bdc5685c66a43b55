"""Number of GPUs that a server's command line asks for."""

from collections.abc import Mapping
from math import prod
from typing import Any

from ..kubernetes.resources import accelerators
from .engine import Engine

_SEVERAL_PODS = frozenset(["--distributed-executor-backend", "--nnodes"])
"""Flags of servers that use the GPUs of several pods."""


def gpus_wanted(engine: Engine, flags: Mapping[str, Any]) -> int:
    """GPUs of a server with these flags: those that share one model, times its copies; 1 without such flags."""
    shared = prod(_number(flags.get(flag)) or 1 for flag in (engine.tensor_parallel, *engine.parallel))
    copies = (_number(flags.get(flag)) for flag in engine.copies if engine.one_copy.isdisjoint(flags))
    return shared * next(filter(None, copies), 1)


def _number(value: Any) -> int:
    text = str(value)
    return int(text) if text.isdecimal() else 0


def too_few_gpus(engine: Engine, flags: Mapping[str, Any], resources: Mapping[str, Any]) -> str:
    """The problem, if a command line asks for more GPUs than its container gets; otherwise empty.

    Servers that span several pods are not checked.
    """
    wanted, requested = gpus_wanted(engine, flags), accelerators(resources)
    if requested is None or wanted <= requested or not _SEVERAL_PODS.isdisjoint(flags):
        return ""
    return (
        f"the model is split over {wanted} GPUs, but the container gets {requested}, so the server does not start; "
        "request more GPUs or lower the parallelism"
    )
