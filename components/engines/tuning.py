"""How each engine is told the settings that OME's model and performance keys name: flags, where it has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..kubernetes import args
from ..kubernetes.args import Dialect
from . import llama_cpp, vllm

CONTEXT_LENGTH = "context-length"
MAX_TOKENS = "max-tokens"
GPU_FRACTION = "gpu-memory-fraction"
BATCH_SIZE = "batch-size"
PRECISION = "precision"
QUANTIZATION = "quantization"

_IMAGES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "text-generation-inference": "tgi",
    "llama.cpp": "llama.cpp",
    "llmkube-llama": "llama.cpp",
}
# Programs, and names of containers that the families here give.
_PROGRAMS = {
    "vllm": "vllm",
    "vllm.entrypoints": "vllm",
    "sglang.launch_server": "sglang",
    "text-generation-launcher": "tgi",
    "tgi": "tgi",
    "llama-server": "llama.cpp",
}

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
    "llama.cpp": {
        CONTEXT_LENGTH: ("--ctx-size", "{}"),
        MAX_TOKENS: ("--n-predict", "{}"),
        BATCH_SIZE: ("--parallel", "{}"),
    },
}
_DIALECTS = {"vllm": vllm.DIALECT, "llama.cpp": llama_cpp.DIALECT}

_TENSOR_PARALLEL = frozenset(["--tensor-parallel-size", "--tp-size", "--tp", "-tp"])


def engine_of(image: Any, words: Sequence[Any] = ()) -> str:
    """The engine of a container by its image's name, else by the words of its command and its own name.

    It is vllm, sglang, tgi, llama.cpp, or empty for one that is not known.
    """
    text = image if isinstance(image, str) else ""
    by_image = next((engine for part, engine in _IMAGES.items() if part in text), "")
    return by_image or next((engine for word in words for engine in _started_by(word)), "")


def _started_by(word: Any) -> list[str]:
    """The engine whose program a word of a command line is: ``vllm``, ``/app/llama-server``, ``vllm.entrypoints.…``."""
    name = word.rpartition("/")[2] if isinstance(word, str) else ""
    return [engine for program, engine in _PROGRAMS.items() if name == program or name.startswith(f"{program}.")]


def flag(engine: str, setting: str, value: str) -> tuple[str, str] | None:
    """Flag and value for a setting, or None where the engine has none."""
    known = _FLAGS.get(engine, {}).get(setting)
    return (known[0], known[1].format(value)) if known else None


def value_of(words: Sequence[Any], name: str, engine: str = "") -> str | None:
    """The value of a flag on a command line, however the engine lets it be spelled, or None where it is not there."""
    dialect = _DIALECTS.get(engine, Dialect())
    if name not in dialect.names(words):
        return None
    found = args.value_of(name, words, dialect)
    return "" if found is None else str(found)


def tensor_parallel(words: Sequence[Any]) -> int:
    """GPUs of one pod that share a model, as the command line says; 1 without such a flag."""
    values = (value_of(words, name) for name in sorted(_TENSOR_PARALLEL))
    return max((int(value) for value in values if value and value.isdecimal()), default=1)
