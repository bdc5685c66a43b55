"""What the releases of the engine and of the routing proxy, in their images, make of their command lines."""

from __future__ import annotations

from collections.abc import Iterator

from ...engines.command_line import user_problems, variable_problems
from ...engines.companions import ROUTING_SIDECAR
from ...engines.vllm import VLLM
from ...findings import Problem
from ...kubernetes.scalars import describe
from .spec import ModelServiceSpec, RoutingProxySpec


def command_line_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    """``spec`` has its default images."""
    release = VLLM.release_of(spec.engine.image)
    if release is not None:
        for index, message, code in user_problems(spec.engine.args, VLLM, release):
            yield Problem(f"spec.engine.args[{index}]", message, "warning", code)
        for message in variable_problems([variable.name for variable in spec.engine.env], VLLM, release):
            yield Problem("spec.engine.env", message, "warning", "unknown-variable")
    if spec.routingProxy:
        yield from _connector_problems(spec.routingProxy)


def _connector_problems(proxy: RoutingProxySpec) -> Iterator[Problem]:
    """A way of handing over the KV cache that the sidecar's release does not have: it would end at once, for ever."""
    release = ROUTING_SIDECAR.release_of(proxy.image)
    fact = (release.fact("--connector") or release.fact("--kv-connector")) if release else None
    if release and fact and isinstance(proxy.connector, str) and proxy.connector not in ("", *fact.choices):
        message = (
            f"must be one that {ROUTING_SIDECAR.title} {release.number} has ({', '.join(fact.choices)}), got "
            f"{describe(proxy.connector)}: it would end as soon as it starts"
        )
        severity = "error" if ROUTING_SIDECAR.is_in(proxy.image) else "warning"
        yield Problem("spec.routingProxy.connector", message, severity, "not-in-release")
