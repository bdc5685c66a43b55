"""How many GPUs a command line wants, and what is said where the container gets fewer.

Not proved here: that the servers count so; it is what their documentation says.
"""

from __future__ import annotations

import pytest

from modelservices.engines.engine import Engine
from modelservices.engines.gpus import gpus_wanted, too_few_gpus
from modelservices.engines.llama_cpp import LLAMA_CPP
from modelservices.engines.sglang import SGLANG
from modelservices.engines.tgi import TGI
from modelservices.engines.vllm import VLLM


@pytest.mark.parametrize(
    ("engine", "words", "gpus"),
    [
        (VLLM, [], 1),
        (VLLM, ["--tensor-parallel-size", "2"], 2),
        (VLLM, ["-tp", "2", "-pp=2"], 4),
        (VLLM, ["--tensor-parallel-size=2", "--prefill-context-parallel-size", "2"], 4),
        (VLLM, ["--data-parallel-size", "4"], 4),
        (VLLM, ["-tp", "2", "-dp", "8", "-dpl", "2"], 4),
        (VLLM, ["-tp", "2", "--data-parallel-size", "8", "--data-parallel-rank", "3"], 2),
        (VLLM, ["-tp", "2", "-dp", "8", "--data-parallel-external-lb"], 2),
        (VLLM, ["--decode-context-parallel-size", "2", "-tp", "4"], 4),
        (VLLM, ["--tensor-parallel-size", "$(SIZE)"], 1),
        (SGLANG, ["--tp", "8"], 8),
        (SGLANG, ["--tp-size=2", "--dp-size", "4"], 8),
        (SGLANG, ["--tp", "4", "--dp", "4", "--enable-dp-attention"], 4),
        (SGLANG, ["--tp", "2", "--pp-size", "3"], 6),
        (SGLANG, ["--tp", "4", "--ep-size", "4"], 4),
        (TGI, ["--num-shard", "4"], 4),
        (LLAMA_CPP, ["--tensor-split", "1,1"], 1),
    ],
)
def test_gpus_wanted(engine: Engine, words: list[str], gpus: int) -> None:
    assert gpus_wanted(engine, engine.dialect.flags(words)) == gpus


@pytest.mark.parametrize(
    ("words", "limit", "message"),
    [
        (["-tp", "2"], "2", ""),
        (["-tp", "2", "-dp", "2"], "2", "the model is split over 4 GPUs, but the container gets 2"),
        (["-tp", "16", "--nnodes", "2"], "8", ""),
        (["-tp", "16", "--distributed-executor-backend", "ray"], "8", ""),
        (["-tp", "2"], None, ""),
    ],
)
def test_too_few(words: list[str], limit: str | None, message: str) -> None:
    resources = {"limits": {"nvidia.com/gpu": limit}} if limit else {}
    assert too_few_gpus(VLLM, VLLM.dialect.flags(words), resources) == (
        f"{message}, so the server does not start; request more GPUs or lower the parallelism" if message else ""
    )
