"""llama.cpp's server: images by GPU, flags, and how a model is spread over GPUs.

Decisions: L17, L18 (docs/decisions).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd
from typing import Any

from ..kubernetes.args import Argument, Dialect
from .bounds import COUNT, PORTS, WHOLE, Bounds
from .engine import Engine
from .flag import Flag, Launch, fields_of, from_table, home, listen

CPU_IMAGE = "ghcr.io/ggml-org/llama.cpp:server-b10068"
CUDA_IMAGE = "ghcr.io/ggml-org/llama.cpp:server-cuda-b10068"
INTEL_IMAGE = "ghcr.io/ggml-org/llama.cpp:server-intel-b10068"
AMD_IMAGES = {
    "vulkan": "ghcr.io/defilantech/llmkube-llama-vulkan"
    "@sha256:cbab8af682ecac9b5c865d85219d808dc356814326c70346e05b8b20b333e295",
    "rocm": "ghcr.io/defilantech/llmkube-llama-rocm"
    "@sha256:8da16041a18b4f03f0be4de5e064be97ba8937149091d6693ee09711da362849",
}

ALL_LAYERS = 99
SPLIT_MODES = {"layer": "layer", "pipeline": "layer", "tensor": "row", "row": "row", "none": "none"}
"""Sharding strategy to llama.cpp's split mode, which has none for pipelines."""

LONG_ROPE = "longrope"
"""A scaling whose factors are in the model's file: llama.cpp reads them there and has no value for it."""

FLAGS = (
    Flag("--ctx-size", "contextSize"),
    Flag("--rope-scaling", "ropeScaling.type", never=LONG_ROPE),
    Flag("--rope-scale", "ropeScaling.factor", unless=("ropeScaling.type", LONG_ROPE), yields_to=("--rope-scaling",)),
    Flag(
        "--yarn-orig-ctx",
        "ropeScaling.originalContext",
        unless=("ropeScaling.type", LONG_ROPE),
        yields_to=("--rope-scaling",),
    ),
    Flag("--parallel", "parallelSlots"),
    Flag("--flash-attn", "flashAttention", "on", gpus=True),
    Flag("--jinja", "jinja", "switch"),
    Flag("--cache-type-k", "cacheTypeK", before="cacheTypeCustomK"),
    Flag("--cache-type-v", "cacheTypeV", before="cacheTypeCustomV"),
    Flag("--cpu-moe", "moeCPUOffload", "switch"),
    Flag("--n-cpu-moe", "moeCPULayers", above=0),
    Flag("--no-kv-offload", "noKvOffload", "switch"),
    Flag("--override-tensor", "tensorOverrides", "each"),
    Flag("--batch-size", "batchSize"),
    Flag("--ubatch-size", "uBatchSize"),
    Flag("--no-warmup", "noWarmup", "switch"),
    Flag("--spec-type", "speculativeDecoding.type"),
    Flag("-md", "speculativeDecoding.draftModelRef", before="speculativeDecoding.draftModel"),
    Flag("--spec-draft-n-max", "speculativeDecoding.nDraftMax"),
    Flag("--spec-draft-p-min", "speculativeDecoding.pMin"),
    Flag("--reasoning-budget", "reasoningBudget"),
    Flag("--reasoning-budget-message", "reasoningBudgetMessage", never="", needs="reasoningBudget"),
)

MODES = {
    "embedding": (("--embedding",), ("--pooling", "last"), ("--cache-ram", "0")),
    "rerank": (("--reranking",), ("--embedding",), ("--pooling", "rank"), ("--cache-ram", "0")),
}
"""Flags by serving mode. A prompt cache is useful only for chat, and is never freed."""

REPLACED = {
    "--draft": "write --spec-draft-n-max",
    "--draft-n": "write --spec-draft-n-max",
    "--draft-max": "write --spec-draft-n-max",
    "--draft-min": "write --spec-draft-n-min",
    "--draft-n-min": "write --spec-draft-n-min",
}

BOUNDS = {
    "--port": PORTS,
    "--n-cpu-moe": COUNT,
    "--reasoning-budget": Bounds(-1),
    "--parallel": Bounds(has_zero=False),
    **dict.fromkeys(
        [
            *("--ctx-size", "--batch-size", "--ubatch-size", "--cache-ram"),
            *("--threads", "--threads-batch", "--threads-http", "--n-predict"),
        ],
        WHOLE,
    ),
}
"""It reads a number up to the first other character: 8k is 8."""

FLAGS_OF_VARIABLES = {
    "LLAMA_ARG_BATCH": "--batch-size",
    "LLAMA_ARG_N_PARALLEL": "--parallel",
    "LLAMA_ARG_THINK_BUDGET": "--reasoning-budget",
    "LLAMA_ARG_UBATCH": "--ubatch-size",
}
"""Variables with another name than their flags."""

DIALECT = Dialect(
    aliases={
        "-m": "--model",
        "-ngl": "--n-gpu-layers",
        "--gpu-layers": "--n-gpu-layers",
        "-sm": "--split-mode",
        "-ts": "--tensor-split",
        "-c": "--ctx-size",
        "-np": "--parallel",
        "-fa": "--flash-attn",
        "--no-jinja": "--jinja",
        "-ctk": "--cache-type-k",
        "-ctv": "--cache-type-v",
        "-cmoe": "--cpu-moe",
        "-ncmoe": "--n-cpu-moe",
        "-nkvo": "--no-kv-offload",
        "-kvo": "--no-kv-offload",
        "--kv-offload": "--no-kv-offload",
        "-ot": "--override-tensor",
        "-b": "--batch-size",
        "-ub": "--ubatch-size",
        "--warmup": "--no-warmup",
        "-mm": "--mmproj",
        "--embeddings": "--embedding",
        "--rerank": "--reranking",
        "-cram": "--cache-ram",
        "--model-draft": "-md",
        "--spec-draft-model": "-md",
        "--draft-p-min": "--spec-draft-p-min",
        "--no-mmproj": "--mmproj",
    },
    repeatable=frozenset(["--override-tensor", "--override-kv"]),
    joins=False,
)


_DOWNLOADS = ("--model-url", "-mu", "--hf-repo", "-hf", "-hfr", "--docker-repo", "-dr")
"""Flags with a model that the server downloads itself."""


def env(launch: Launch) -> list[dict[str, Any]]:
    """A writable home for a server that downloads its model: it caches it there."""
    downloads = [word for word in launch.get("extraArgs") or [] if isinstance(word, str) and word in _DOWNLOADS]
    return home(launch) if downloads else []


def image(launch: Launch) -> str:
    """The image for the vendor of the GPUs, if the model is meant for GPUs or the pod has some; otherwise the CPU
    image."""
    vendor, runtime = launch.gpu.get("vendor", "nvidia"), launch.gpu.get("runtime")
    if vendor == "amd" and runtime in AMD_IMAGES:
        return AMD_IMAGES[runtime]
    wanted = launch.gpu.get("enabled") or launch.has_gpus
    return {"nvidia": CUDA_IMAGE, "amd": AMD_IMAGES["rocm"], "intel": INTEL_IMAGE}[vendor] if wanted else CPU_IMAGE


def arguments(launch: Launch) -> list[Argument]:
    model = [Argument(("--model", launch.path))] if launch.path else []
    projector = [Argument(("--mmproj", launch.projector))] if launch.projector else []
    return [
        *model,
        Argument(("--port", str(launch.port))),
        listen("--host", launch),
        *gpu_arguments(launch.gpu, launch.gpus),
        *from_table(FLAGS, launch),
        *projector,
        *from_table((Flag("--override-kv", "metadataOverrides", "each"),), launch),
        *(Argument(words) for words in MODES.get(launch.get("mode") or "", ())),
    ]


def gpu_arguments(gpu: Mapping[str, Any], count: int) -> list[Argument]:
    """How many layers the GPUs hold, and how several GPUs share them. Resource claims don't tell the number of GPUs."""
    if not count and not gpu.get("resourceClaims"):
        return []
    layers = gpu.get("layers", 0)
    flags = [Argument(("--n-gpu-layers", str(layers if layers > 0 else ALL_LAYERS)))]
    if count > 1:
        sharding = gpu.get("sharding") or {}
        mode = SPLIT_MODES[sharding.get("strategy", "layer")]
        flags.append(Argument(("--split-mode", mode)))
        if mode != "none":
            split = tensor_split(sharding.get("layerSplit", []), count) or [1] * count
            flags.append(Argument(("--tensor-split", ",".join(map(str, split)))))
    return flags


def tensor_split(ranges: Sequence[str], count: int) -> list[int] | None:
    """``["0-19", "20-39", "40-49"]`` becomes ``[2, 2, 1]``; None unless there is one valid range for each GPU."""
    matches = [re.fullmatch(r"\s*([0-9]{1,9})\s*-\s*([0-9]{1,9})\s*", text) for text in ranges]
    sizes = [int(match[2]) - int(match[1]) + 1 for match in matches if match]
    if len(ranges) != count or len(sizes) != count or any(size < 1 for size in sizes):
        return None
    return [size // gcd(*sizes) for size in sizes]


LLAMA_CPP = Engine(
    container="llama-server",
    title="llama-server",
    env_prefix="LLAMA_ARG_",
    flag_variables="LLAMA_ARG_",
    flags_of_variables=FLAGS_OF_VARIABLES,
    table="llama.cpp",
    replaced=REPLACED,
    bounds=BOUNDS,
    port=8080,
    image=image,
    image_names=("llama.cpp", "llmkube-llama"),
    programs=("llama-server",),
    arguments=arguments,
    trailing=(Argument(("--metrics",)),),
    dialect=DIALECT,
    slots=("--parallel", "LLAMA_ARG_N_PARALLEL"),
    default_slots=4,
    key_closes_metrics=("--api-key", "--api-key-file", "LLAMA_API_KEY", "LLAMA_ARG_API_KEY_FILE"),
    health="/health",
    metrics_flag="--metrics",
    metrics_variable="LLAMA_ARG_ENDPOINT_METRICS",
    certificate=("--ssl-cert-file", "LLAMA_ARG_SSL_CERT_FILE"),
    metric="llamacpp:requests_processing",
    drops_requests=True,
    # It has no counter of answered requests.
    queries={
        "concurrency": "sum(llamacpp:requests_processing{})",
        "tps": "sum(rate(llamacpp:tokens_predicted_total{}[5m]) < bool 10)"
        " * sum(llamacpp:requests_processing{} > bool 0)",
        "waiting": "sum(llamacpp:requests_deferred{})",
        "generated": "sum(rate(llamacpp:tokens_predicted_total{}[5m]))",
        "prompt": "sum(rate(llamacpp:prompt_tokens_total{}[5m]))",
    },
    model_flag="--model",
    env=env,
    prefix_flag="--api-prefix",
    port_variable="LLAMA_ARG_PORT",
    host_variable="LLAMA_ARG_HOST",
    root_image="ggml-org/llama.cpp",
    starts_by_itself=True,
    model_sources=frozenset(
        [
            *("--model", *_DOWNLOADS),
            *("--models-dir", "--models-preset"),
            *("LLAMA_ARG_MODEL", "LLAMA_ARG_MODEL_URL", "LLAMA_ARG_HF_REPO", "LLAMA_ARG_DOCKER_REPO"),
            *("LLAMA_ARG_MODELS_DIR", "LLAMA_ARG_MODELS_PRESET"),
        ]
    ),
    name_flag="--alias",
    any_name=True,
    settings={
        "context-length": ("--ctx-size", "{}"),
        "max-tokens": ("--n-predict", "{}"),
        "batch-size": ("--parallel", "{}"),
    },
    loads=frozenset(["file"]),
    fields=fields_of(FLAGS, "metadataOverrides", "bindAddress", "extraArgs"),
)

MODELS_FOLDER = "/models"


def router_arguments(launch: Launch) -> list[Argument]:
    return [
        Argument(("--models-dir", MODELS_FOLDER)),
        Argument(("--port", str(launch.port))),
        listen("--host", launch),
        Argument(("--metrics",)),
    ]


LLAMA_CPP_ROUTER = replace(
    LLAMA_CPP,
    arguments=router_arguments,
    trailing=(),
    metric="",  # its metrics endpoint asks for a model
    queries={},
    model_sources=frozenset(),
    loads=frozenset(),
    models_folder=MODELS_FOLDER,
    fields=frozenset(["bindAddress", "extraArgs"]),
)
"""One server for all models of a folder: it loads a model when a request names it, and has no metrics itself."""
