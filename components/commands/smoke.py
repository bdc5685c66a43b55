"""``smoke``: asks each service of a stack for a few tokens, and reports how fast they came or why none did."""

import argparse
import json
import time
from collections.abc import Mapping
from typing import Any

from ..cluster.connection import Cluster, ClusterError
from ..cluster.openai import SECONDS, Answer, NoAnswer, ask
from ..cluster.serving import NotServing, address
from ..kubernetes.rendered import RenderedComponent
from .live import add_stack, aligned, cluster_of
from .sources import plan_named_stack

COLUMNS = ("SERVICE", "KIND", "MODEL", "CALL", "FIRST TOKEN", "TOKENS/S", "REASON")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stack(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument(
        "--timeout",
        type=float,
        default=SECONDS,
        metavar="SECONDS",
        help="how long one service may take for its answer (default: %(default).0f)",
    )


def run(arguments: argparse.Namespace) -> int:
    services = plan_named_stack(arguments.stack).raise_for_errors().services
    with cluster_of(arguments.stack) as cluster:
        results = [tried(service, cluster, arguments.timeout) for service in services]
    if arguments.format == "json":
        print(json.dumps(results, indent=2))
    else:
        print(aligned([COLUMNS, *map(_row, results)]))
    return 1 if any(result["answered"] is False for result in results) else 0


def tried(service: RenderedComponent, cluster: Cluster, seconds: float = SECONDS) -> dict[str, Any]:
    """The result of asking one service. ``answered`` is None if there is no server, as the manifest wants it."""
    result = {"service": f"{service.namespace}/{service.name}", "kind": service.kind}
    try:
        answer = _answer(service, cluster, seconds)
    except NotServing as reason:
        return {**result, "answered": None if reason.fine else False, "reason": str(reason)}
    except (NoAnswer, ClusterError) as reason:
        return {**result, "answered": False, "reason": str(reason)}
    return {
        **result,
        "answered": True,
        "call": answer.call,
        "model": answer.model,
        "firstTokenSeconds": round(answer.first_token_seconds, 3),
        "tokens": answer.tokens,
        "tokensPerSecond": round(answer.tokens_per_second, 1),
    }


def _answer(service: RenderedComponent, cluster: Cluster, seconds: float) -> Answer:
    """A server's answer, or that to a second request in the time left: busy clusters sometimes cut connections."""
    started = time.monotonic()
    try:
        return ask(cluster, address(service, cluster), service.name, seconds)
    except (NoAnswer, ClusterError):
        left = seconds - (time.monotonic() - started)
        if left < 1:
            raise
        return ask(cluster, address(service, cluster), service.name, left)


def _row(result: Mapping[str, Any]) -> tuple[str, ...]:
    if not result["answered"]:
        return (result["service"], result["kind"], "-", "-", "-", "-", result["reason"])
    rate = f"{result['tokensPerSecond']:.1f}" if result["tokensPerSecond"] else "-"
    latency = f"{result['firstTokenSeconds']:.2f} s"
    return (result["service"], result["kind"], result["model"], result["call"], latency, rate, "-")
