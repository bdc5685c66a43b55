"""Pulumi Outputs in component arguments: opaque while the rules run, Outputs again at registration.

A field that the rules read can't be an Output (its model refuses it, naming the path); one that is only passed on can.
A secret Output in a pod spec would turn the whole spec, and every later diff, into ``[secret]``, so it is refused.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import pulumi

from ..kubernetes.scalars import Opaque
from .sdk import args_as_mapping

_SECRET_ADVICE = (
    "is a secret Output in the spec of a workload, which would make the whole spec secret and its diff unreadable: put "
    "the value into a Kubernetes Secret and refer to it (valueFrom.secretKeyRef)"
)


def hide_outputs(value: Any) -> Any:
    """The value with each Output (or awaitable) as :class:`Opaque`, ``…Args`` objects of other packages as YAML
    mappings, and without keys whose value is None."""
    if isinstance(value, pulumi.Output):
        return Opaque(value)
    fields = args_as_mapping(value)
    if fields is not None:
        return hide_outputs(fields)
    if isinstance(value, Mapping):
        return {str(key): hide_outputs(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [hide_outputs(item) for item in value]
    if asyncio.iscoroutine(value) or asyncio.isfuture(value):
        return Opaque(pulumi.Output.from_input(value))
    return value


def reveal_outputs(value: Any, path: str, *, secrets_allowed: bool) -> Any:
    """The value with each :class:`Opaque` replaced by its Output."""
    if isinstance(value, Opaque):
        output = pulumi.Output.from_input(value.value)
        return output if secrets_allowed else _refuse_secret(output, path)
    if isinstance(value, Mapping):
        return {
            key: reveal_outputs(item, f"{path}.{key}", secrets_allowed=secrets_allowed) for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            reveal_outputs(item, f"{path}[{index}]", secrets_allowed=secrets_allowed)
            for index, item in enumerate(value)
        ]
    return value


def whole_numbers(value: Any) -> Any:
    """The value with whole numbers as integers: the engine's wire format has only floats."""
    if isinstance(value, Mapping):
        return {key: whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_secret(output: pulumi.Output[Any], path: str) -> pulumi.Output[Any]:
    """The output, which fails if it turns out to be secret: that is known only when it resolves."""

    async def checked() -> Any:
        if await output.is_secret():
            raise pulumi.RunError(f"{path}: {_SECRET_ADVICE}")
        return await output.future(with_unknowns=True)

    async def is_secret() -> bool:
        return False

    return pulumi.Output(
        output.resources(),
        asyncio.ensure_future(checked()),
        asyncio.ensure_future(_known(output)),
        asyncio.ensure_future(is_secret()),
    )


async def _known(output: pulumi.Output[Any]) -> bool:
    return await output.is_known()
