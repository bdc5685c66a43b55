"""How many GPUs a server wants, as its command line says."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ..kubernetes.resources import accelerators
from .command_line import flag_of
from .engine import Engine

_SEVERAL_PODS = frozenset(["--distributed-executor-backend", "--nnodes"])
"""Flags of servers whose GPUs are those of several pods."""


def gpus_wanted(engine: Engine, words: Sequence[Any]) -> int:
    """GPUs of the server: those that share one model, for each copy of it; 1 without such flags."""
    shared = prod(_number(engine, words, flag) or 1 for flag in (engine.tensor_parallel, *engine.parallel) if flag)
    apart = engine.dialect.names(words).isdisjoint(engine.one_copy)
    copies = [number for flag in engine.copies if (number := _number(engine, words, flag))] if apart else []
    return shared * next(iter(copies), 1)


def _number(engine: Engine, words: Sequence[Any], flag: str) -> int | None:
    value = engine.value_of(words, flag)
    return int(value) if value and value.isdecimal() else None


def too_few_gpus(engine: Engine, words: Sequence[Any], resources: Mapping[str, Any]) -> str:
    """What is wrong when a command line wants more GPUs than its container gets; empty otherwise.

    A server of several pods is not judged.
    """
    wanted, given = gpus_wanted(engine, words), accelerators(resources)
    if given is None or wanted <= given or not _SEVERAL_PODS.isdisjoint(flag_of(word) for word in words):
        return ""
    return f"share the model among {wanted} GPUs, and the container gets {given}: the server would not start"
