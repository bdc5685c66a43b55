"""vLLM's OpenAI-compatible server."""

from __future__ import annotations

from ...kubernetes.args import Argument, Dialect
from ..engine import Engine
from ..flag import Flag, Launch, from_table, listen

IMAGE = "vllm/vllm-openai:v0.25.1"
PORT = 8000
HEALTH = "/health"
METRIC = "vllm:num_requests_running"

_SPECULATIVE = ("--speculative-model", "--speculative-config")

FLAGS = (
    Flag("--tensor-parallel-size", "vllmConfig.tensorParallelSize", above=1),
    Flag("--max-model-len", "vllmConfig.maxModelLen"),
    Flag("--quantization", "vllmConfig.quantization"),
    Flag("--dtype", "vllmConfig.dtype"),
    Flag("--kv-cache-dtype", "vllmConfig.kvCacheDtype", before="vllmConfig.kvCacheCustomDtype", never="auto"),
    Flag("--enable-prefix-caching", "vllmConfig.enablePrefixCaching", "switch"),
    Flag("--enable-chunked-prefill", "vllmConfig.enableChunkedPrefill", "switch"),
    Flag("--max-num-batched-tokens", "vllmConfig.maxNumBatchedTokens"),
    Flag("--attention-backend", "vllmConfig.attentionBackend"),
    Flag("--speculative-model", "draft.model", yields_to=_SPECULATIVE),
    Flag("--num-speculative-tokens", "draft.tokens", yields_to=_SPECULATIVE),
    Flag("--enable-expert-parallel", "vllmConfig.enableExpertParallel", "switch"),
    Flag("--cpu-offload-gb", "vllmConfig.cpuOffloadGB", gpus=True),
    Flag("--gpu-memory-utilization", "vllmConfig.gpuMemoryUtilization", gpus=True),
)
"""``draft`` is the speculative model as vLLM gets it, and its number of tokens."""

DIALECT = Dialect(
    aliases={
        "-tp": "--tensor-parallel-size",
        "-q": "--quantization",
        "--no-enable-prefix-caching": "--enable-prefix-caching",
        "--no-enable-chunked-prefill": "--enable-chunked-prefill",
        "--no-enable-expert-parallel": "--enable-expert-parallel",
    }
)


def arguments(launch: Launch) -> list[Argument]:
    return [
        Argument((launch.path or launch.source,)),
        Argument(("--port", str(launch.port))),
        listen("--host", launch),
        *from_table(FLAGS, launch),
        *_all_gpus(launch),
        *from_table((Flag("--max-num-seqs", "parallelSlots"),), launch),
    ]


def _all_gpus(launch: Launch) -> list[Argument]:
    """Without a word about parallelism a model uses all GPUs of its pod."""
    if launch.gpus < 2 or launch.get("vllmConfig.tensorParallelSize") is not None:
        return []
    return [Argument(("--tensor-parallel-size", str(launch.gpus)))]


VLLM = Engine(
    container="vllm",
    port=PORT,
    image=lambda launch: IMAGE,
    image_names=("vllm",),
    programs=("vllm", "vllm.entrypoints"),
    command=("vllm", "serve"),
    arguments=arguments,
    dialect=DIALECT,
    health=HEALTH,
    metric=METRIC,
    latency="vllm:e2e_request_latency_seconds",
    queries={
        "concurrency": f"sum({METRIC}{{}})",
        "rps": "sum(rate(vllm:request_success_total{}[1m]))",
        "tps": "sum(avg_over_time(vllm:avg_generation_throughput_toks_per_s{}[5m]) < bool 10)"
        " * sum(rate(vllm:request_success_total{}[1m]) > bool 0.5)",
    },
    settings={
        "context-length": ("--max-model-len", "{}"),
        "max-tokens": ("--override-generation-config", '{{"max_new_tokens": {}}}'),
        "gpu-memory-fraction": ("--gpu-memory-utilization", "{}"),
        "batch-size": ("--max-num-seqs", "{}"),
        "precision": ("--dtype", "{}"),
        "quantization": ("--quantization", "{}"),
    },
    tensor_parallel="--tensor-parallel-size",
    probed_by_ome=True,
    reads_files=True,
    reads_folders=True,
    loads_repositories=True,
    extra_arguments=True,
    fields=frozenset(["vllmConfig", "parallelSlots", "bindAddress", "extraArgs"]),
    # A Service called "vllm" would set VLLM_PORT to a URL, which vLLM reads as its own setting.
    service_links=False,
    token=("HF_TOKEN", "vllmConfig.hfTokenSecretRef"),
)
