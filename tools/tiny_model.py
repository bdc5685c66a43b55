"""Writes a GGUF file of random weights that loads in a moment; its answers are meaningless, everything else is real."""

from pathlib import Path

import numpy
from gguf import GGUFWriter, TokenType

WIDTH = 64
"""Two heads of 32, a multiple of the block size of quantized caches."""
_CONTEXT = 4096
_TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"
_SPECIAL = [(b"<unk>", TokenType.UNKNOWN), (b"<s>", TokenType.CONTROL), (b"</s>", TokenType.CONTROL)]
_BYTES = [(f"<0x{value:02X}>".encode(), TokenType.BYTE) for value in range(256)]
_TOKENS = [*_SPECIAL, *_BYTES]

_UNPRINTABLE = [index for index in range(len(_TOKENS)) if not 0x20 <= index - len(_SPECIAL) < 0x7F]
"""Tokens that are never sampled: on a partial UTF-8 character the server ends a stream."""


def write_tiny_model(path: Path, name: str = "tiny") -> None:
    """Writes a one-layer Llama model with single-byte tokens and a chat template."""
    writer = GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(_TOKENS))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in _TOKENS])
    writer.add_token_scores([0.0] * len(_TOKENS))
    writer.add_token_types([kind for _, kind in _TOKENS])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_TEMPLATE)
    for tensor, shape in _tensors().items():
        writer.add_tensor(tensor, _weights(tensor, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors() -> dict[str, tuple[int, ...]]:
    square = (WIDTH, WIDTH)
    layer = {f"blk.0.attn_{part}.weight": square for part in ("q", "k", "v", "output")}
    layer |= {f"blk.0.ffn_{part}.weight": square for part in ("gate", "up", "down")}
    layer |= {f"blk.0.{part}_norm.weight": (WIDTH,) for part in ("attn", "ffn")}
    words = (len(_TOKENS), WIDTH)
    return {"token_embd.weight": words, "output.weight": words, "output_norm.weight": (WIDTH,), **layer}


def _weights(tensor: str, shape: tuple[int, ...]) -> numpy.ndarray:
    """Weights of a tensor, deterministic and the same on every machine."""
    numbers = numpy.random.default_rng(list(tensor.encode()))
    weights = numbers.standard_normal(shape, dtype=numpy.float32) * 0.1
    # The first number of each hidden state is always large, and the last layer weights tokens by it.
    if tensor == "token_embd.weight":
        weights[:, 0] = 4
    if tensor == "output_norm.weight":
        weights[0] = 1
    if tensor == "output.weight":
        weights[_UNPRINTABLE, 0] = -5
    return weights
