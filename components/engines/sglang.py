"""SGLang's OpenAI-compatible server.

Decisions: L21 (docs/decisions).
"""

from collections.abc import Iterator
from typing import Any

from ..kubernetes.args import Argument, Dialect
from ..kubernetes.json_text import from_json as from_json_text
from .bounds import COUNT, PORTS, POSITIVE, SHARE, WHOLE
from .engine import Engine
from .flag import Flag, Launch, all_gpus, from_table, home, listen, revision

CUDA_IMAGE = "docker.io/lmsysorg/sglang:v0.5.15.post1-cu129"
ROCM_IMAGE = "docker.io/lmsysorg/sglang:v0.5.15-rocm720-mi30x"
METRIC = "sglang:num_running_reqs"

FLAGS = (
    Flag("--tp-size", "sglangConfig.tensorParallelSize"),
    Flag("--ep-size", "sglangConfig.expertParallelSize"),
    Flag("--dp-size", "sglangConfig.dataParallelSize"),
    Flag("--context-length", "sglangConfig.contextLength"),
    Flag("--mem-fraction-static", "sglangConfig.memFractionStatic", gpus=True),
    Flag("--chunked-prefill-size", "sglangConfig.chunkedPrefillSize"),
    Flag("--max-running-requests", "sglangConfig.maxRunningRequests"),
    Flag("--quantization", "sglangConfig.quantization", spelled=(("nvfp4", "modelopt_fp4"),)),
    Flag("--kv-cache-dtype", "sglangConfig.kvCacheDtype", before="sglangConfig.kvCacheCustomDtype", never="auto"),
    Flag("--attention-backend", "sglangConfig.attentionBackend", spelled=(("flash_attn", "fa3"),)),
    Flag("--disable-radix-cache", "sglangConfig.enablePrefixCaching", "off"),
    Flag("--tool-call-parser", "sglangConfig.toolCallParser", spelled=(("qwen3", "qwen"),)),
    Flag("--reasoning-parser", "sglangConfig.reasoningParser"),
    Flag("--chat-template", "sglangConfig.chatTemplate"),
)
_SPECULATIVE = (
    Flag("--speculative-algorithm", "sglangConfig.speculative.algorithm"),
    Flag("--speculative-num-steps", "sglangConfig.speculative.numSteps"),
    Flag("--speculative-eagle-topk", "sglangConfig.speculative.eagleTopK"),
    Flag("--speculative-num-draft-tokens", "sglangConfig.speculative.numDraftTokens"),
    Flag("--speculative-accept-threshold-single", "sglangConfig.speculative.acceptThresholdSingle"),
    Flag("--speculative-accept-threshold-acc", "sglangConfig.speculative.acceptThresholdAcc"),
)
_MORE = (
    Flag("--max-lora-rank", "sglangConfig.maxLoraRank"),
    Flag("--lora-target-modules", "sglangConfig.loraTargetModules", "all"),
    Flag("--log-level", "sglangConfig.logLevel"),
    Flag("--trust-remote-code", "sglangConfig.trustRemoteCode", "switch"),
    Flag("--skip-tokenizer-init", "sglangConfig.skipTokenizerInit", "switch"),
)

REPLACED = {
    "--enable-prefix-caching": "leave it out, because prefixes are cached unless --disable-radix-cache is given",
    "--max-num-seqs": "write --max-running-requests",
    "--gpu-memory-utilization": "write --mem-fraction-static",
    "--max-model-len": "write --context-length",
}

BOUNDS = {
    "--port": PORTS,
    "--disaggregation-bootstrap-port": PORTS,
    "--mem-fraction-static": SHARE,
    "--swa-full-tokens-ratio": SHARE,
    **dict.fromkeys(
        [
            *("--tp-size", "--pp-size", "--dp-size", "--ep-size", "--nnodes"),
            *("--max-running-requests", "--max-total-tokens", "--max-loras-per-batch", "--page-size"),
            *("--gpu-id-step", "--tokenizer-worker-num"),
        ],
        POSITIVE,
    ),
    **dict.fromkeys(["--node-rank", "--base-gpu-id"], COUNT),
    **dict.fromkeys(["--context-length", "--chunked-prefill-size", "--max-prefill-tokens", "--random-seed"], WHOLE),
}

DIALECT = Dialect(
    aliases={
        "--tp": "--tp-size",
        "--tensor-parallel-size": "--tp-size",
        "--pp": "--pp-size",
        "--pipeline-parallel-size": "--pp-size",
        "--dp": "--dp-size",
        "--data-parallel-size": "--dp-size",
        "--ep": "--ep-size",
        "--expert-parallel-size": "--ep-size",
        "--model": "--model-path",
        "--speculative-draft-model": "--speculative-draft-model-path",
    }
)


def image(launch: Launch) -> str:
    return ROCM_IMAGE if launch.gpu.get("vendor") == "amd" else CUDA_IMAGE


def arguments(launch: Launch) -> list[Argument]:
    return [
        Argument(("--model-path", launch.path or launch.source)),
        Argument(("--port", str(launch.port))),
        # Without it there are no metrics to scrape.
        Argument(("--enable-metrics",)),
        listen("--host", launch),
        Argument(("--served-model-name", launch.get("modelRef"))),
        *revision(launch),
        *from_table(FLAGS, launch),
        *_speculative(launch),
        *_adapters(launch),
        *from_table(_MORE, launch),
        *all_gpus("--tp-size", launch, "sglangConfig.tensorParallelSize"),
        *([Argument(("--is-embedding",), "mode")] if launch.values.get("servingMode") == "embedding" else []),
    ]


def _speculative(launch: Launch) -> list[Argument]:
    """Speculative decoding. ``draft`` has the model as SGLang loads it, and its revision."""
    if not speculates(launch):
        return []
    field = "sglangConfig.speculative.draftModelPath"
    algorithm, *more = from_table(_SPECULATIVE, launch)
    draft = Argument(("--speculative-draft-model-path", launch.get("draft.model") or launch.get(field)), field)
    revision = launch.get("draft.revision")
    at = [Argument(("--speculative-draft-model-revision", revision), field)] if revision else []
    return [algorithm, draft, *at, *more]


def speculates(launch: Launch) -> bool:
    """Whether speculative decoding is on and fully configured; the server would not start with half of it."""
    wanted = ("enabled", "algorithm", "draftModelPath")
    return all(launch.get(f"sglangConfig.speculative.{name}") for name in wanted)


def _adapters(launch: Launch) -> list[Argument]:
    """LoRA adapters, each ``name=path``; if a name occurs twice, the one in ``loraAdapters`` is used."""
    paths = {item["name"]: item["path"] for item in launch.get("sglangConfig.loraAdapters") or []}
    for text in launch.get("sglangConfig.loraModules") or []:
        for name, path in lora_module(text):
            paths.setdefault(name, path)
    pairs = tuple(f"{name}={path}" for name, path in paths.items())
    return [Argument(("--lora-paths", *pairs), "sglangConfig.loraAdapters")] if pairs else []


def lora_module(text: Any) -> Iterator[tuple[str, str]]:
    """Name and path of an adapter written as ``name=path`` or as vLLM's JSON; nothing for any other text."""
    name, equals, path = text.partition("=") if isinstance(text, str) else ("", "", "")
    if equals and name and not set(name) & set('{[ "'):
        yield name, path
        return
    try:
        adapter = from_json_text(text)
    except (TypeError, ValueError, RecursionError):
        return
    if isinstance(adapter, dict) and isinstance(adapter.get("name"), str) and isinstance(adapter.get("path"), str):
        yield adapter["name"], adapter["path"]


SGLANG = Engine(
    container="sglang",
    title="SGLang",
    table="sglang",
    replaced=REPLACED,
    bounds=BOUNDS,
    slots=("--max-running-requests",),
    writes_home=True,
    env=home,
    port=30000,
    image=image,
    image_names=("sglang",),
    programs=("sglang.launch_server",),
    command=("python3", "-m", "sglang.launch_server"),
    arguments=arguments,
    dialect=DIALECT,
    health="/health",
    serving="/health_generate",
    metric=METRIC,
    queries={
        "concurrency": f"sum({METRIC}{{}})",
        "rps": "sum(rate(sglang:num_requests_total{}[1m]))",
        "tps": "sum(avg_over_time(sglang:gen_throughput{}[5m]) < bool 10)"
        " * sum(rate(sglang:num_requests_total{}[1m]) > bool 0.5)",
        "waiting": "sum(sglang:num_queue_reqs{})",
        "generated": "sum(rate(sglang:generation_tokens_total{}[5m]))",
        "prompt": "sum(rate(sglang:prompt_tokens_total{}[5m]))",
        "first token": "histogram_quantile(0.95, sum by (le) (rate(sglang:time_to_first_token_seconds_bucket{}[5m])))",
        "KV cache": "max(sglang:token_usage{})",
    },
    model_flag="--model-path",
    metrics_flag="--enable-metrics",
    certificate=("--ssl-certfile",),
    name_flag="--served-model-name",
    needs_gpu=True,
    settings={
        "context-length": ("--context-length", "{}"),
        "gpu-memory-fraction": ("--mem-fraction-static", "{}"),
        "batch-size": ("--max-running-requests", "{}"),
        "precision": ("--dtype", "{}"),
        "quantization": ("--quantization", "{}"),
    },
    tensor_parallel="--tp-size",
    expert_parallel="--ep-size",
    parallel=("--pp-size",),
    copies=("--dp-size",),
    one_copy=frozenset(["--enable-dp-attention"]),
    default_host="127.0.0.1",
    group_addresses=("--dist-init-addr",),
    transfer_flag="--disaggregation-mode",
    root_image="lmsysorg/sglang",
    env_prefix="SGLANG_",
    probed_by_ome=True,
    loads=frozenset(["file", "folder", "repository"]),
    shares_memory=True,
    fields=frozenset(["sglangConfig", "bindAddress", "extraArgs"]),
    token=("HF_TOKEN", "sglangConfig.hfTokenSecretRef"),
)
