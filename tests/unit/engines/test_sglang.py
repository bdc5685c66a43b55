"""SGLang: arguments in order, adapters, speculative decoding.

Not proved here: that the pinned image understands the flags.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.flag import Launch
from modelservices.engines.sglang import CUDA_IMAGE, ROCM_IMAGE, SGLANG

START = "--model-path org/name --port 30000 --enable-metrics --host :: --served-model-name m"


def words(config: dict[str, Any] | None = None, gpus: int = 1, path: str = "", **values: Any) -> str:
    launch = Launch({"modelRef": "m", "sglangConfig": config, **values}, 30000, gpus, path, "org/name")
    return " ".join(word for argument in SGLANG.arguments(launch) for word in argument.words)


def test_in_order() -> None:
    config = {
        "tensorParallelSize": 2,
        "expertParallelSize": 2,
        "dataParallelSize": 1,
        "contextLength": 8192,
        "memFractionStatic": 0.85,
        "chunkedPrefillSize": 4096,
        "maxRunningRequests": 32,
        "quantization": "fp8",
        "kvCacheDtype": "fp8_e5m2",
        "attentionBackend": "flashinfer",
        "enablePrefixCaching": False,
        "toolCallParser": "llama3",
        "reasoningParser": "qwen3",
        "chatTemplate": "chatml",
        "maxLoraRank": 16,
        "loraTargetModules": ["q_proj", "v_proj"],
        "logLevel": "info",
        "trustRemoteCode": True,
        "skipTokenizerInit": True,
    }
    assert words(config, 2) == (
        f"{START} --tp-size 2 --ep-size 2 --dp-size 1 --context-length 8192 --mem-fraction-static 0.85"
        " --chunked-prefill-size 4096 --max-running-requests 32 --quantization fp8 --kv-cache-dtype fp8_e5m2"
        " --attention-backend flashinfer --disable-radix-cache --tool-call-parser llama3 --reasoning-parser qwen3"
        " --chat-template chatml --max-lora-rank 16 --lora-target-modules q_proj v_proj --log-level info"
        " --trust-remote-code --skip-tokenizer-init"
    )


@pytest.mark.parametrize(
    ("config", "gpus", "expected"),
    [
        (None, 1, ""),
        (None, 4, " --tp-size 4"),
        ({"tensorParallelSize": 1}, 4, " --tp-size 1"),
        ({"memFractionStatic": 0.8}, 0, ""),
        ({"kvCacheDtype": "auto"}, 1, ""),
        ({"kvCacheDtype": "fp8_e5m2", "kvCacheCustomDtype": "bf16"}, 1, " --kv-cache-dtype bf16"),
        ({"enablePrefixCaching": True}, 1, ""),
        ({"loraTargetModules": []}, 1, ""),
    ],
)
def test_what_gives_which_flags(config: dict[str, Any] | None, gpus: int, expected: str) -> None:
    assert words(config, gpus) == START + expected


def test_a_model_in_the_pod_and_slots_and_embeddings() -> None:
    expected = START.replace("org/name", "/models/m")
    assert words(path="/models/m", parallelSlots=4) == expected
    assert words({"maxRunningRequests": 8}, parallelSlots=4) == f"{START} --max-running-requests 8"
    assert words(servingMode="embedding") == f"{START} --is-embedding"
    assert words(servingMode="chat") == START


SPECULATIVE = {"enabled": True, "algorithm": "EAGLE", "draftModelPath": "org/draft", "numDraftTokens": 4}


@pytest.mark.parametrize(
    ("speculative", "expected"),
    [
        (SPECULATIVE, " --speculative-algorithm EAGLE --speculative-draft-model-path org/draft"
         " --speculative-num-draft-tokens 4"),
        ({**SPECULATIVE, "enabled": False}, ""),
        ({**SPECULATIVE, "algorithm": None}, ""),
        ({**SPECULATIVE, "draftModelPath": ""}, ""),
    ],
)  # fmt: skip
def test_speculative_decoding_is_whole_or_not_there(speculative: dict[str, Any], expected: str) -> None:
    assert words({"speculative": speculative}) == START + expected


def test_adapters() -> None:
    modules = ["b=/b", '{"name": "c", "path": "/c"}', "a=/other", "nonsense", '{"name": "d"}', "=x", "[1]"]
    config = {"loraAdapters": [{"name": "a", "path": "/a=1"}], "loraModules": modules}
    assert words(config) == f"{START} --lora-paths a=/a=1 b=/b c=/c"


@pytest.mark.parametrize(("gpu", "image"), [({}, CUDA_IMAGE), ({"vendor": "amd"}, ROCM_IMAGE)])
def test_image(gpu: dict[str, Any], image: str) -> None:
    assert SGLANG.default_image(Launch({}, 1, gpu=gpu)) == image
