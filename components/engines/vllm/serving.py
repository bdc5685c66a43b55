"""Flags of ``vllm serve`` that depend on how a model is served: its names, its pods, TLS, the release of vLLM.

Each item is a flag with its values. If a start script reads them, the values are already quoted for the shell.

Decisions: nixl (docs/decisions).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...kubernetes.env import from_field

Words = tuple[str, ...]

TLS = ("--ssl-certfile", "--ssl-keyfile")
KV_TRANSFER = "--kv-transfer-config"
TRACES = "--otlp-traces-endpoint"
DETAILED_TRACES = "--collect-detailed-traces"
LORA_MODULES = "--lora-modules"

MORE_WORDS = "VLLM_ADDITIONAL_ARGS"
"""Variable with further words of the command line, if a start script reads it."""
SIDE_CHANNEL = "VLLM_NIXL_SIDE_CHANNEL_HOST"
_NAME = "--served-model-name"
_SIZES = {
    "tensor": "--tensor-parallel-size",
    "pipeline": "--pipeline-parallel-size",
    "data": "--data-parallel-size",
    "dataLocal": "--data-parallel-size-local",
}

GENERATED = frozenset(["--port", _NAME, *(_SIZES[name] for name in ("tensor", "data", "dataLocal"))])
"""Flags that every service with a port, a model and sizes has."""


def port(number: int) -> Words:
    return ("--port", str(number))


def names(*models: str) -> Words:
    """Names by which requests may call the model."""
    return (_NAME, *models)


def sizes(parallelism: Mapping[str, int]) -> Iterator[Words]:
    """Flags for the GPUs that share a model and for its copies: ``tensor``, ``pipeline``, ``data``, ``dataLocal``."""
    return ((_SIZES[name], str(size)) for name, size in parallelism.items())


def expert_parallel() -> Words:
    return ("--enable-expert-parallel",)


def api_servers(count: str) -> Words:
    return ("--api-server-count", count)


class Member(NamedTuple):
    """One of several pods that serve copies of a model together; the leader takes all requests."""

    data: int
    """Copies in all pods."""
    local: int
    """Copies in this pod."""
    address: str
    """Address of the leader."""
    rpc_port: int
    start_rank: str
    """Number of this pod's first copy."""
    leads: bool

    def flags(self) -> Iterator[Words]:
        yield from sizes({"data": self.data, "dataLocal": self.local})
        yield ("--data-parallel-address", self.address)
        yield ("--data-parallel-rpc-port", str(self.rpc_port))
        yield ("--data-parallel-start-rank", self.start_rank)
        if not self.leads:
            yield ("--headless",)


def tls(folder: str) -> Iterator[Words]:
    """Serves with the certificate in a folder, and reloads it when it changes."""
    yield ("--enable-ssl-refresh",)
    yield from zip(TLS, (f"{folder}/tls.crt", f"{folder}/tls.key"), strict=True)


def tracing(endpoint: str) -> list[Words]:
    return [(TRACES, endpoint), (DETAILED_TRACES, "all")]


def quiet_log() -> list[tuple[str, Words]]:
    """Flags that keep health checks out of the access log, by the first release with each; the last one that fits is
    used."""
    return [
        ("", ("--disable-uvicorn-access-log",)),
        ("0.16.0", ("--disable-access-log-for-endpoints", "/health,/metrics,/ping")),
    ]


def shutdown(seconds: int) -> tuple[str, Words]:
    """The wait for running requests at shutdown, with the first release that has the flag."""
    return "0.18.0", ("--shutdown-timeout", str(seconds))


def kv_transfer(config: str) -> tuple[str, Words]:
    """Destination of KV blocks, as JSON, with the first release that has tiers."""
    return "0.22.0", (KV_TRANSFER, config)


def side_channel(words: Iterable[Any]) -> list[dict[str, Any]]:
    """The address that NIXL announces to the other side of a KV transfer: the pod's, because vLLM's default is
    localhost."""
    if not any(isinstance(word, str) and "NixlConnector" in word for word in words):
        return []
    return [from_field(SIDE_CHANNEL, "status.podIP")]


LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)


def lora_rank(wanted: int) -> int:
    """The lowest of vLLM's ranks that fits adapters of the wanted rank; the wanted rank if it is above all of them."""
    return next((rank for rank in LORA_RANKS if rank >= wanted), wanted)


def lora(modules: list[str], limits: Mapping[str, int]) -> list[str]:
    """Flags for adapters (each as vLLM's JSON) and for limits (by the names of KServe's fields)."""
    flags = {"maxRank": "--max-lora-rank", "maxAdapters": "--max-loras", "maxCpuAdapters": "--max-cpu-loras"}
    return ["--enable-lora", *(f"{flags[name]}={limit}" for name, limit in limits.items()), LORA_MODULES, *modules]
