"""SGLang's OpenAI-compatible server."""

from __future__ import annotations

from ..kubernetes.args import Dialect
from .engine import Engine

METRIC = "sglang:num_running_reqs"

DIALECT = Dialect(aliases={"--tp": "--tensor-parallel-size", "--tp-size": "--tensor-parallel-size"})

SGLANG = Engine(
    container="sglang",
    port=30000,
    image_names=("sglang",),
    programs=("sglang.launch_server",),
    dialect=DIALECT,
    health="/health",
    metric=METRIC,
    queries={
        "concurrency": f"sum({METRIC}{{}})",
        "rps": "sum(rate(sglang:num_requests_total{}[1m]))",
        "tps": "sum(avg_over_time(sglang:gen_throughput{}[5m]) < bool 10)"
        " * sum(rate(sglang:num_requests_total{}[1m]) > bool 0.5)",
    },
    settings={
        "context-length": ("--context-length", "{}"),
        "gpu-memory-fraction": ("--mem-fraction-static", "{}"),
        "batch-size": ("--max-running-requests", "{}"),
        "precision": ("--dtype", "{}"),
        "quantization": ("--quantization", "{}"),
    },
    tensor_parallel="--tensor-parallel-size",
    probed_by_ome=True,
)
