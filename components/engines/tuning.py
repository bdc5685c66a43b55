"""How each engine is told the settings that OME's model and performance keys name: flags, where it has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CONTEXT_LENGTH = "context-length"
MAX_TOKENS = "max-tokens"
GPU_FRACTION = "gpu-memory-fraction"
BATCH_SIZE = "batch-size"
PRECISION = "precision"
QUANTIZATION = "quantization"

_IMAGES = {"vllm": "vllm", "sglang": "sglang", "text-generation-inference": "tgi"}

_FLAGS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "vllm": {
        CONTEXT_LENGTH: ("--max-model-len", "{}"),
        MAX_TOKENS: ("--override-generation-config", '{{"max_new_tokens": {}}}'),
        GPU_FRACTION: ("--gpu-memory-utilization", "{}"),
        BATCH_SIZE: ("--max-num-seqs", "{}"),
        PRECISION: ("--dtype", "{}"),
        QUANTIZATION: ("--quantization", "{}"),
    },
    "sglang": {
        CONTEXT_LENGTH: ("--context-length", "{}"),
        GPU_FRACTION: ("--mem-fraction-static", "{}"),
        BATCH_SIZE: ("--max-running-requests", "{}"),
        PRECISION: ("--dtype", "{}"),
        QUANTIZATION: ("--quantization", "{}"),
    },
    "tgi": {
        CONTEXT_LENGTH: ("--max-total-tokens", "{}"),
        GPU_FRACTION: ("--cuda-memory-fraction", "{}"),
        BATCH_SIZE: ("--max-batch-size", "{}"),
        PRECISION: ("--dtype", "{}"),
    },
}

_TENSOR_PARALLEL = frozenset(["--tensor-parallel-size", "--tp-size", "--tp", "-tp"])


def engine_of(image: Any) -> str:
    """The engine that an image has by its name: vllm, sglang, tgi, or an empty text."""
    text = image if isinstance(image, str) else ""
    return next((engine for part, engine in _IMAGES.items() if part in text), "")


def flag(engine: str, setting: str, value: str) -> tuple[str, str] | None:
    """Flag and value for a setting, or None where the engine has none."""
    known = _FLAGS.get(engine, {}).get(setting)
    return (known[0], known[1].format(value)) if known else None


def value_of(words: Sequence[Any], name: str) -> str | None:
    """The value of a flag on a command line (``--flag value`` or ``--flag=value``), or None where it is not there."""
    for index, word in enumerate(words):
        if word == name:
            return str(words[index + 1]) if index + 1 < len(words) else ""
        if isinstance(word, str) and word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def tensor_parallel(words: Sequence[Any]) -> int:
    """GPUs of one pod that share a model, as the command line says; 1 without such a flag."""
    values = (value_of(words, name) for name in sorted(_TENSOR_PARALLEL))
    return max((int(value) for value in values if value and value.isdecimal()), default=1)
