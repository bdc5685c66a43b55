"""The load of an engine as Prometheus knows it: what autoscaling can watch."""

from __future__ import annotations

from collections.abc import Mapping

from . import llama_cpp, vllm

CONCURRENCY = "concurrency"
RATE = "rps"
GPU = "gpu-utilization"

_QUERIES: Mapping[str, Mapping[str, str]] = {
    CONCURRENCY: {
        "vllm": f"sum({vllm.METRIC}{{}})",
        "sglang": "sum(sglang:num_running_reqs{})",
        "tgi": "sum(tgi_batch_current_size{})",
        "llama.cpp": f"sum({llama_cpp.LLAMA_CPP.metric}{{}})",
    },
    RATE: {
        "vllm": "sum(rate(vllm:request_success_total{}[1m]))",
        "sglang": "sum(rate(sglang:num_requests_total{}[1m]))",
        "tgi": "sum(rate(tgi_request_success{}[1m]))",
    },
}
_GPU = "avg(DCGM_FI_DEV_GPU_UTIL{})"


def query(metric: str, engine: str, namespace: str, workload: str) -> str:
    """PromQL for a metric of the pods of one workload; empty where the engine does not have it."""
    known = _GPU if metric == GPU else _QUERIES.get(metric, {}).get(engine, "")
    return known.replace("{}", f'{{namespace="{namespace}",pod=~"{workload}-.*"}}')
