"""vLLM, TGI, PersonaPlex and generic: arguments in order, and the row of knowledge of each engine.

Not proved here: that the pinned images understand the flags.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.engine import Engine
from modelservices.engines.flag import Launch
from modelservices.engines.generic import GENERIC
from modelservices.engines.llama_cpp import LLAMA_CPP
from modelservices.engines.personaplex import PERSONAPLEX
from modelservices.engines.tgi import TGI
from modelservices.engines.vllm import VLLM


def words(engine: Engine, values: dict[str, Any], **more: Any) -> list[str]:
    launch = Launch(values, **{"port": engine.port, **more})
    return [word for argument in engine.arguments(launch) for word in argument.words]


def test_vllm_in_order() -> None:
    config = {
        "tensorParallelSize": 2,
        "maxModelLen": 4096,
        "quantization": "fp8",
        "dtype": "auto",
        "kvCacheDtype": "fp8_e5m2",
        "enablePrefixCaching": True,
        "enableChunkedPrefill": True,
        "maxNumBatchedTokens": 512,
        "attentionBackend": "flashinfer",
        "enableExpertParallel": True,
        "cpuOffloadGB": 0,
        "gpuMemoryUtilization": 0.9,
    }
    values = {"vllmConfig": config, "draft": {"model": "org/draft", "tokens": 3}, "parallelSlots": 8}
    assert " ".join(words(VLLM, values, gpus=2, source="org/name")) == (
        "org/name --port 8000 --host :: --tensor-parallel-size 2 --max-model-len 4096 --quantization fp8 --dtype auto"
        " --kv-cache-dtype fp8_e5m2 --enable-prefix-caching --enable-chunked-prefill --max-num-batched-tokens 512"
        " --attention-backend flashinfer --speculative-config "
        '{"model": "org/draft", "num_speculative_tokens": 3}'
        " --enable-expert-parallel --cpu-offload-gb 0 --gpu-memory-utilization 0.9 --max-num-seqs 8"
    )


@pytest.mark.parametrize(
    ("config", "gpus", "expected"),
    [
        ({}, 1, []),
        ({}, 4, ["--tensor-parallel-size", "4"]),
        ({"tensorParallelSize": 1}, 4, []),
        ({"tensorParallelSize": 2}, 4, ["--tensor-parallel-size", "2"]),
        ({"cpuOffloadGB": 8, "gpuMemoryUtilization": 0.8}, 0, []),
        ({"kvCacheDtype": "auto"}, 1, []),
        ({"kvCacheDtype": "fp8_e4m3", "kvCacheCustomDtype": "turbo2"}, 1, ["--kv-cache-dtype", "turbo2"]),
        ({"enablePrefixCaching": False}, 1, []),
    ],
)
def test_vllm_cases(config: dict[str, Any], gpus: int, expected: list[str]) -> None:
    assert words(VLLM, {"vllmConfig": config}, gpus=gpus, path="/models/m")[5:] == expected


def test_a_path_counts_before_the_source() -> None:
    assert words(VLLM, {}, path="/models/m", source="org/name")[0] == "/models/m"


def test_tgi_in_order() -> None:
    config = {"quantize": "gptq", "maxInputLength": 1, "maxTotalTokens": 2, "dtype": "float16"}
    assert " ".join(words(TGI, {"tgiConfig": config}, gpus=2, source="org/name@main")) == (
        "--model-id org/name@main --port 80 --hostname :: --quantize gptq --max-input-length 1 --max-total-tokens 2"
        " --dtype float16 --num-shard 2"
    )


def test_personaplex() -> None:
    config = {"quantize4Bit": True, "cpuOffload": True}
    assert words(PERSONAPLEX, {"personaPlexConfig": config}) == [
        "--ssl",
        "/app/ssl",
        "--quantize-4bit",
        "--cpu-offload",
    ]
    assert PERSONAPLEX.variables(Launch({}, port=1)) == [{"name": "NO_TORCH_COMPILE", "value": "1"}]


def test_generic() -> None:
    assert words(GENERIC, {"args": ["--listen", "0.0.0.0:7000"]}) == ["--listen", "0.0.0.0:7000"]
    assert words(GENERIC, {}) == []


ROWS = [
    (LLAMA_CPP, "llama-server", 8080, "/health", "llamacpp:requests_processing", True, False, True),
    (VLLM, "vllm", 8000, "/health", "vllm:num_requests_running", True, True, False),
    (TGI, "tgi", 80, "/health", "tgi_queue_size", False, True, True),
    (PERSONAPLEX, "personaplex", 8998, "", "", False, False, True),
    (GENERIC, "inference-server", 8080, "", "", False, False, True),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_knowledge(row: tuple[Any, ...]) -> None:
    engine, *expected = row
    known = [engine.container, engine.port, engine.health, engine.metric]
    assert [*known, "file" in engine.loads, "repository" in engine.loads, engine.service_links] == expected
