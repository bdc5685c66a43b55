"""LLMKube's names of the engines.

Mirrors defilantech/LLMKube internal/controller/runtime.go at v0.9.19.
"""

from ...engines.engine import Engine
from ...engines.generic import GENERIC
from ...engines.llama_cpp import LLAMA_CPP, LLAMA_CPP_ROUTER
from ...engines.personaplex import PERSONAPLEX
from ...engines.sglang import SGLANG
from ...engines.tgi import TGI
from ...engines.vllm import VLLM

RUNTIMES: dict[str, Engine] = {
    "llamacpp": LLAMA_CPP,
    "llamacpp-router": LLAMA_CPP_ROUTER,
    "vllm": VLLM,
    "tgi": TGI,
    "sglang": SGLANG,
    "personaplex": PERSONAPLEX,
    "generic": GENERIC,
}
