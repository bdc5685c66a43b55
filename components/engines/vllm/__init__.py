"""vLLM's OpenAI-compatible server."""

from .engine import DIALECT, VLLM

__all__ = ["DIALECT", "VLLM"]
