"""vLLM's OpenAI-compatible server.

Decisions: L20 (docs/decisions).
"""

import json

from ...kubernetes.args import Argument, Dialect
from ..bounds import COUNT, PORTS, POSITIVE, SHARE, WHOLE, Bounds
from ..engine import Engine
from ..flag import Flag, Launch, all_gpus, from_table, home, listen, revision
from . import serving

IMAGE = "vllm/vllm-openai:v0.25.1"
IMAGES = {"amd": "vllm/vllm-openai-rocm:v0.25.1", "intel": "vllm/vllm-openai-xpu:v0.26.0"}
"""Images by vendor, for GPUs that need another build."""
PORT = 8000
HEALTH = "/health"
METRIC = "vllm:num_requests_running"

SPECULATIVE = "--speculative-config"
VALUES = (("nvfp4", "modelopt_fp4"),)
"""LLMKube's names of quantizations, and vLLM's."""
FLAGS = (
    Flag("--tensor-parallel-size", "vllmConfig.tensorParallelSize", above=1),
    Flag("--max-model-len", "vllmConfig.maxModelLen"),
    Flag("--quantization", "vllmConfig.quantization", spelled=VALUES),
    Flag("--dtype", "vllmConfig.dtype"),
    Flag("--kv-cache-dtype", "vllmConfig.kvCacheDtype", before="vllmConfig.kvCacheCustomDtype", never="auto"),
    Flag("--enable-prefix-caching", "vllmConfig.enablePrefixCaching", "switch"),
    Flag("--enable-chunked-prefill", "vllmConfig.enableChunkedPrefill", "switch"),
    Flag("--max-num-batched-tokens", "vllmConfig.maxNumBatchedTokens"),
    Flag("--attention-backend", "vllmConfig.attentionBackend"),
)
_MORE_FLAGS = (
    Flag("--enable-expert-parallel", "vllmConfig.enableExpertParallel", "switch"),
    Flag("--cpu-offload-gb", "vllmConfig.cpuOffloadGB", gpus=True),
    Flag("--gpu-memory-utilization", "vllmConfig.gpuMemoryUtilization", gpus=True),
)
REPLACED = {
    "--speculative-model": f"write {SPECULATIVE} with JSON (model, num_speculative_tokens)",
    "--num-speculative-tokens": f"write {SPECULATIVE} with JSON (model, num_speculative_tokens)",
    "--device": "leave it out, because the image decides",
    "--use-v2-block-manager": "leave it out, because there is no other engine",
    "--worker-use-ray": "write --distributed-executor-backend ray",
    "--rope-scaling": "write --hf-overrides with JSON (rope_scaling)",
    "--rope-theta": "write --hf-overrides with JSON (rope_theta)",
    "--guided-decoding-backend": "write --structured-outputs-config.backend",
    "--swap-space": "write --kv-offloading-size",
    "--task": "write --runner or --convert",
    "--enable-reasoning": "write --reasoning-parser alone",
}
DIALECT = Dialect(
    aliases={
        "-tp": "--tensor-parallel-size",
        "-pp": "--pipeline-parallel-size",
        "-pcp": "--prefill-context-parallel-size",
        "-dp": "--data-parallel-size",
        "-dpl": "--data-parallel-size-local",
        "-dpn": "--data-parallel-rank",
        "-dpe": "--data-parallel-external-lb",
        "-O": "--optimization-level",
        "-q": "--quantization",
        "-sc": SPECULATIVE,
        "--no-enable-prefix-caching": "--enable-prefix-caching",
        "--no-enable-chunked-prefill": "--enable-chunked-prefill",
        "--no-enable-expert-parallel": "--enable-expert-parallel",
    },
    dotted=True,
)


def arguments(launch: Launch) -> list[Argument]:
    return [
        _model(launch),
        Argument(("--port", str(launch.port))),
        listen("--host", launch),
        *revision(launch),
        *from_table(FLAGS, launch),
        *_speculative(launch),
        *from_table(_MORE_FLAGS, launch),
        *all_gpus("--tensor-parallel-size", launch, "vllmConfig.tensorParallelSize"),
        *from_table((Flag("--max-num-seqs", "parallelSlots"),), launch),
    ]


def _model(launch: Launch) -> Argument:
    """The model: positional for ``vllm serve``, but a flag for a server that is started as a module."""
    model, command = launch.path or launch.source, launch.get("command") or ()
    by_module = any(isinstance(word, str) and word.startswith("vllm.entrypoints") for word in command)
    return Argument(("--model", model) if by_module else (model,))


def _speculative(launch: Launch) -> list[Argument]:
    """Speculative decoding. ``draft`` has the model as vLLM loads it, its revision and the number of tokens."""
    draft = launch.get("draft")
    if not draft:
        return []
    values = {
        "model": draft["model"],
        **({"revision": draft["revision"]} if draft.get("revision") else {}),
        "num_speculative_tokens": draft["tokens"],
    }
    removed = ("--speculative-model", "--num-speculative-tokens")
    return [Argument((SPECULATIVE, json.dumps(values)), "vllmConfig.speculative", yields_to=removed)]


BOUNDS = {
    "--port": PORTS,
    "--data-parallel-rpc-port": PORTS,
    "--gpu-memory-utilization": SHARE,
    "--max-model-len": Bounds(-1),  # -1: as much as fits
    **dict.fromkeys(
        [
            *("--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--nnodes"),
            *("--decode-context-parallel-size", "--prefill-context-parallel-size"),
            *("--max-num-seqs", "--max-num-batched-tokens", "--stream-interval"),
            *("--block-size", "--max-loras"),
        ],
        POSITIVE,
    ),
    **dict.fromkeys(["--data-parallel-size-local", "--data-parallel-rank", "--node-rank"], COUNT),
    **dict.fromkeys(["--seed", "--max-logprobs", "--num-gpu-blocks-override"], WHOLE),
}

VLLM = Engine(
    container="vllm",
    title="vLLM",
    table="vllm",
    replaced=REPLACED,
    bounds=BOUNDS,
    suffixes="kKmMgGtT",
    port=PORT,
    image=lambda launch: IMAGES.get(launch.gpu.get("vendor", ""), IMAGE),
    image_names=("vllm", "llm-d-cuda"),
    programs=("vllm", "vllm.entrypoints"),
    command=("vllm", "serve"),
    arguments=arguments,
    dialect=DIALECT,
    health=HEALTH,
    metric=METRIC,
    drops_requests=True,
    drain_flag="--shutdown-timeout",
    latency="vllm:e2e_request_latency_seconds",
    queries={
        "concurrency": f"sum({METRIC}{{}})",
        "rps": "sum(rate(vllm:request_success_total{}[1m]))",
        "tps": "sum(rate(vllm:generation_tokens_total{}[5m]) < bool 10)"
        " * sum(rate(vllm:request_success_total{}[1m]) > bool 0.5)",
        "waiting": "sum(vllm:num_requests_waiting{})",
        "generated": "sum(rate(vllm:generation_tokens_total{}[5m]))",
        "prompt": "sum(rate(vllm:prompt_tokens_total{}[5m]))",
        "first token": "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{}[5m])))",
        "KV cache": "max(vllm:kv_cache_usage_perc{})",
    },
    settings={
        "context-length": ("--max-model-len", "{}"),
        "max-tokens": ("--override-generation-config", '{{"max_new_tokens": {}}}'),
        "gpu-memory-fraction": ("--gpu-memory-utilization", "{}"),
        "batch-size": ("--max-num-seqs", "{}"),
        "precision": ("--dtype", "{}"),
        "quantization": ("--quantization", "{}"),
    },
    model_flag="--model",
    memory_flags=frozenset(["--kv-cache-memory-bytes"]),
    name_flag="--served-model-name",
    needs_gpu=True,
    switches={"fbgemm_fp8": "--allow-deprecated-quantization"},
    tensor_parallel="--tensor-parallel-size",
    parallel=("--pipeline-parallel-size", "--prefill-context-parallel-size"),
    copies=("--data-parallel-size-local", "--data-parallel-size"),
    one_copy=frozenset(["--data-parallel-rank", "--data-parallel-external-lb"]),
    socket_flag="--uds",
    group_addresses=("--master-addr", "--data-parallel-address", "--data-parallel-rpc-port"),
    transfer_flag=serving.KV_TRANSFER,
    silent_flag="--disable-log-stats",
    root_image="vllm/vllm-openai",
    starts_by_itself=True,
    certificate=serving.TLS,
    env_prefix="VLLM_",
    probed_by_ome=True,
    slots=("--max-num-seqs",),
    writes_home=True,
    env=home,
    loads=frozenset(["file", "folder", "repository"]),
    shares_memory=True,
    fields=frozenset(["vllmConfig", "parallelSlots", "bindAddress", "extraArgs"]),
    # A Service called "vllm" would set VLLM_PORT to a URL, which vLLM reads as a setting.
    service_links=False,
    token=("HF_TOKEN", "vllmConfig.hfTokenSecretRef"),
)
