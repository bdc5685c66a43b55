"""vLLM's command lines: the flags of each role, and the start script around them.

A preset asks for one with the command ``[start-vllm, <role>]``; a service or config that brings its own command keeps
it. The script runs ``vllm serve`` with the flags in its text, then ``VLLM_ADDITIONAL_ARGS``, then the container's args.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from . import names
from .context import Service, Workload
from .flag_values import kv_transfer_config, shutdown_timeout
from .model_spec import KVCacheOffloadingSpec

START = "start-vllm"
MODEL_PATH = "/mnt/models"
TOKENIZER_PATH = f"{MODEL_PATH}/base"
CERTIFICATES = "/var/run/kserve/tls"
_RPC_PORT = 5555


@dataclass(frozen=True)
class Role:
    """What a server of this role listens on, whether it is known by its publisher's name, and its part in a group."""

    port: int
    published: bool = True
    group: str | None = None


ROLES = {
    "single": Role(8000),
    "prefill": Role(8000, published=False),
    "decode": Role(8001),
    "leader": Role(8000, group="leader"),
    "worker": Role(8000, group="worker"),
    "decode-leader": Role(8001, group="leader"),
    "decode-worker": Role(8001, group="worker"),
}


def command(start: list[Any], service: Service, workload: Workload, pod: dict[str, Any], *, offload: bool) -> list[str]:
    """The command for ``[start-vllm, <role>]``; without ``offload`` the user's own flags configure the KV cache."""
    role = ROLES[start[1]]
    kv = workload.spec.kvCacheOffloading if offload else None
    parts = [_script("leader_address")] if role.group else []
    parts += [_script("version"), _optional(pod, kv), _script("more")]
    parts.append(_serve(f"vllm serve {MODEL_PATH}", _flags(role, service, workload)))
    return ["/bin/bash", "-c", "\n".join(parts), "--"]


def tokenizer_command(service: Service) -> list[str]:
    line = " \\\n  ".join([f"exec vllm launch render {TOKENIZER_PATH}", "--port=8000", *_tls_flags(service)])
    return ["/bin/bash", "-c", line]


def is_start(container_command: Any) -> bool:
    return isinstance(container_command, list) and container_command[:1] == [START]


def _serve(engine: str, flags: Iterator[str]) -> str:
    """The last line of the script, a flag a line."""
    return " \\\n  ".join([f"exec {engine}", *flags, '"${optional[@]}"', '"${more[@]}"']) + "\n"


def _flags(role: Role, service: Service, workload: Workload) -> Iterator[str]:
    model = service.model_name
    published = [names.publisher_model(service.namespace, model)] if role.published else []
    yield f"--served-model-name {shlex.join([model, *published])}"
    yield f"--port {role.port}"
    if role.group == "leader":
        yield '--api-server-count "${VLLM_API_SERVER_COUNT:-8}"'
    parallelism = workload.parallelism
    if parallelism.expert:
        yield "--enable-expert-parallel"
    if parallelism.tensor:
        yield f"--tensor-parallel-size {parallelism.tensor}"
    if parallelism.pipeline and not role.group:
        yield f"--pipeline-parallel-size {parallelism.pipeline}"
    if role.group:
        yield from _group_flags(role, workload)
    yield from _tls_flags(service)


def _group_flags(role: Role, workload: Workload) -> Iterator[str]:
    parallelism = workload.parallelism
    local = parallelism.dataLocal or 1
    yield f"--data-parallel-size {parallelism.data or 1}"
    yield f"--data-parallel-size-local {local}"
    yield '--data-parallel-address "$address"'
    yield f"--data-parallel-rpc-port {parallelism.dataRPCPort or _RPC_PORT}"
    if role.group == "leader":
        yield "--data-parallel-start-rank 0"
    else:
        yield f"--data-parallel-start-rank $(( ${{LWS_WORKER_INDEX:-0}} * {local} ))"
        yield "--headless"


def _tls_flags(service: Service) -> Iterator[str]:
    if service.tls:
        yield "--enable-ssl-refresh"
        yield f"--ssl-certfile {CERTIFICATES}/tls.crt"
        yield f"--ssl-keyfile {CERTIFICATES}/tls.key"


def _optional(pod: dict[str, Any], kv: KVCacheOffloadingSpec | None) -> str:
    """Flags that depend on the engine's version."""
    lines = [
        "optional=( --disable-uvicorn-access-log )",
        "since 0.16.0 && optional=( --disable-access-log-for-endpoints /health,/metrics,/ping )",
        f"since 0.18.0 && optional+=( --shutdown-timeout {shutdown_timeout(pod)} )",
    ]
    if kv is not None:
        lines.append(f"since 0.22.0 && optional+=( --kv-transfer-config {shlex.quote(kv_transfer_config(kv))} )")
    return "\n".join(lines)


@cache
def _script(name: str) -> str:
    return (files(f"{__package__}.scripts") / f"{name}.sh").read_text().rstrip("\n")
