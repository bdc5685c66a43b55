"""vLLM's command lines: the flags of each role, and the start script around them.

A preset asks for one with the command ``[start-vllm, <role>]``; a service or config with its own command keeps it. The
script runs ``vllm serve`` with the flags in its text, then ``VLLM_ADDITIONAL_ARGS``, then the container's args.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...engines.server import command_words
from ...engines.vllm import DIALECT, serving
from ...kubernetes.values import mapping, mappings, value_at
from . import names
from .context import Service, Workload
from .flag_values import CERTIFICATE_PATH, MODEL_PATH, TOKENIZER_PATH, kv_transfer_config, shutdown_timeout
from .model_spec import KVCacheOffloadingSpec
from .pods import container

START = "start-vllm"
ROCE = "KSERVE_INFER_ROCE"
"""Variable that makes the start script look up the node's RoCE adapters."""
VARIABLES = frozenset([serving.MORE_WORDS, "VLLM_API_SERVER_COUNT"])
"""Variables that the start script reads but vLLM does not."""
_RPC_PORT = 5555


@dataclass(frozen=True)
class Role:
    """A server's role: its port, whether it also serves its publisher's model name, and its part in a group."""

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


def command(start: list[Any], service: Service, workload: Workload, pod: dict[str, Any]) -> list[str]:
    """The command for ``[start-vllm, <role>]``. Flags of the user take precedence in configuring the KV cache."""
    role = ROLES[start[1]]
    offload = not has_flag(container(pod) or {}, serving.KV_TRANSFER)
    kv = workload.spec.kvCacheOffloading if offload else None
    parts = [_script("roce")] if asks_for_roce(pod, service) else []
    parts += [_script("leader_address")] if role.group else []
    parts += [_script("version"), _optional(pod, kv), _script("more")]
    flags = [*map(" ".join, _flags(role, service, workload)), '"${optional[@]}"', '"${more[@]}"']
    parts.append(" \\\n  ".join([f"exec vllm serve {MODEL_PATH}", *flags]) + "\n")
    return ["/bin/bash", "-c", "\n".join(parts), "--"]


def asks_for_roce(pod: Mapping[str, Any], service: Service) -> bool:
    """Whether the server has the variable, by itself or from a ConfigMap of the manifests."""
    server = container(pod) or {}
    names = {variable.get("name") for variable in server.get("env", [])}
    taken = [value_at(source, "configMapRef", "name") for source in mappings(server.get("envFrom"))]
    known = (service.known.config_map(service.namespace, name) for name in taken if isinstance(name, str))
    return ROCE in names or any(ROCE in mapping(data) for data in known)


def tokenizer_command(service: Service, names: Sequence[str], *, has_args: bool) -> list[str]:
    """``names`` are those by which requests may call the model beside its path. KServe's script ignores the container's
    arguments; here they follow its own."""
    named = [serving.names(TOKENIZER_PATH, *map(shlex.quote, names))] if names else []
    flags = map(" ".join, [*named, *_tls(service)])
    line = " \\\n  ".join([f"exec vllm launch render {TOKENIZER_PATH}", "--port=8000", *flags, *['"$@"'] * has_args])
    return ["/bin/bash", "-c", line, *["--"] * has_args]


def is_start(container_command: Any) -> bool:
    return isinstance(container_command, list) and container_command[:1] == [START]


def started(container: Mapping[str, Any]) -> Mapping[str, Any]:
    """The container with ``[start-vllm, <role>]`` replaced by the part of the start script that a reader of command
    lines needs."""
    if not is_start(container.get("command")):
        return container
    return {**container, "command": ["/bin/bash", "-c", f'{_script("more")}\nexec vllm serve "${{more[@]}}"', "--"]}


def words(container: Mapping[str, Any]) -> list[Any]:
    """The words of a container's command line in the order in which its program gets them."""
    return command_words(started(container))


def flags(container: Mapping[str, Any]) -> Mapping[str, Any]:
    return DIALECT.flags(words(container))


def has_flag(container: Mapping[str, Any], *names: str) -> bool:
    return not flags(container).keys().isdisjoint(names)


def _flags(role: Role, service: Service, workload: Workload) -> Iterator[serving.Words]:
    model, parallelism = service.model_name, workload.parallelism
    published = [names.publisher_model(service.namespace, model)] if role.published else []
    yield serving.names(*map(shlex.quote, [model, *published]))
    yield serving.port(role.port)
    if role.group == "leader":
        yield serving.api_servers('"${VLLM_API_SERVER_COUNT:-8}"')
    if parallelism.expert:
        yield serving.expert_parallel()
    sizes = {"tensor": parallelism.tensor, "pipeline": None if role.group else parallelism.pipeline}
    yield from serving.sizes({name: size for name, size in sizes.items() if size})
    if role.group:
        yield from _member(role, workload).flags()
    yield from _tls(service)


def _member(role: Role, workload: Workload) -> serving.Member:
    parallelism, leads = workload.parallelism, role.group == "leader"
    local = parallelism.dataLocal or 1
    return serving.Member(
        data=parallelism.data or 1,
        local=local,
        address='"$address"',
        rpc_port=parallelism.dataRPCPort or _RPC_PORT,
        start_rank="0" if leads else f"$(( ${{LWS_WORKER_INDEX:-0}} * {local} ))",
        leads=leads,
    )


def _tls(service: Service) -> Iterator[serving.Words]:
    return serving.tls(CERTIFICATE_PATH) if service.tls else iter(())


def _optional(pod: dict[str, Any], kv: KVCacheOffloadingSpec | None) -> str:
    """Flags that depend on vLLM's release."""
    first, *later = serving.quiet_log()
    added = [serving.shutdown(shutdown_timeout(pod))]
    if kv is not None:
        added.append(serving.kv_transfer(shlex.quote(kv_transfer_config(kv))))
    return "\n".join(
        [
            f"optional=( {' '.join(first[1])} )",
            *(f"since {release} && optional=( {' '.join(words)} )" for release, words in later),
            *(f"since {release} && optional+=( {' '.join(words)} )" for release, words in added),
        ]
    )


@cache
def _script(name: str) -> str:
    return (Path(__file__).parent / "scripts" / f"{name}.sh").read_text("utf-8").rstrip("\n")
