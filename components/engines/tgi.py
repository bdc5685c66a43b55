"""Hugging Face Text Generation Inference: loads its model by repository id."""

from typing import Any

from ..kubernetes.args import Argument
from .bounds import COUNT, PORTS, POSITIVE, SHARE
from .engine import Engine
from .flag import Flag, Launch, all_gpus, from_table, home, listen, revision

IMAGE = "ghcr.io/huggingface/text-generation-inference:3.3.7"

FLAGS = (
    Flag("--quantize", "tgiConfig.quantize"),
    Flag("--max-input-length", "tgiConfig.maxInputLength"),
    Flag("--max-total-tokens", "tgiConfig.maxTotalTokens"),
    Flag("--dtype", "tgiConfig.dtype"),
)


def arguments(launch: Launch) -> list[Argument]:
    return [
        Argument(("--model-id", launch.source)),
        Argument(("--port", str(launch.port))),
        listen("--hostname", launch),
        *revision(launch),
        *from_table(FLAGS, launch),
        *all_gpus("--num-shard", launch),
    ]


def env(launch: Launch) -> list[dict[str, Any]]:
    """A foreign user gets another folder for the hub's files, because the image's belongs to root."""
    cache = [{"name": "HUGGINGFACE_HUB_CACHE", "value": "/tmp"}] if launch.foreign_user else []
    return [*home(launch), *cache]


TGI = Engine(
    container="tgi",
    title="TGI",
    table="tgi",
    bounds={
        "--port": PORTS,
        "--cuda-memory-fraction": SHARE,
        **dict.fromkeys(["--num-shard", "--validation-workers"], POSITIVE),
        **dict.fromkeys(
            [
                *("--max-input-tokens", "--max-input-length", "--max-total-tokens", "--max-concurrent-requests"),
                *("--max-batch-size", "--max-batch-prefill-tokens", "--max-batch-total-tokens", "--max-waiting-tokens"),
                *("--max-best-of", "--max-client-batch-size", "--max-stop-sequences", "--speculate"),
            ],
            COUNT,
        ),
    },
    writes_home=True,
    env=env,
    port=80,
    image=lambda launch: IMAGE,
    image_names=("text-generation-inference",),
    programs=("text-generation-launcher", "tgi"),
    arguments=arguments,
    health="/health",
    metric="tgi_queue_size",
    queries={
        "concurrency": "sum(tgi_batch_current_size{})",
        "rps": "sum(rate(tgi_request_success{}[1m]))",
        "tps": "sum(rate(tgi_request_generated_tokens_sum{}[5m]) < bool 10)"
        " * sum(rate(tgi_request_success{}[1m]) > bool 0.5)",
        "waiting": "sum(tgi_queue_size{})",
        "generated": "sum(rate(tgi_request_generated_tokens_sum{}[5m]))",
        "prompt": "sum(rate(tgi_request_input_length_sum{}[5m]))",
    },
    model_flag="--model-id",
    tensor_parallel="--num-shard",
    host_flag="--hostname",
    flag_variables="",
    port_variable="PORT",
    root_image="huggingface/text-generation-inference",
    starts_by_itself=True,
    any_name=True,
    needs_gpu=True,
    settings={
        "context-length": ("--max-total-tokens", "{}"),
        "gpu-memory-fraction": ("--cuda-memory-fraction", "{}"),
        "batch-size": ("--max-batch-size", "{}"),
        "precision": ("--dtype", "{}"),
    },
    loads=frozenset(["repository"]),
    shares_memory=True,
    fields=frozenset(["tgiConfig", "bindAddress", "extraArgs"]),
    token=("HUGGING_FACE_HUB_TOKEN", "tgiConfig.hfTokenSecretRef"),
)
