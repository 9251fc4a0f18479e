"""Write a tiny model in GGUF, llama's architecture: half a megabyte, loaded in milliseconds, and no sense in it.

Its weights are random, so it writes noise, one byte a token. Or it recites: then every layer adds nothing, each
token's embedding leads to the next token of a fixed text, and after the last one comes the end.
Source of the names: the GGUF specification of ggml and the constants of its `gguf` package.
Deliberately absent: anything learned, anything downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import gguf  # type: ignore[import-not-found]  # only the environment of `make test-gateway` has it
import numpy as np  # type: ignore[import-not-found]  # likewise

NAME = "tiny-random"
N_CONTEXT = 8192

_N_LAYERS, _WIDTH, _N_HEADS, _N_KV_HEADS, _N_INNER = 2, 64, 4, 2, 128
_SEED = 0
_STARTS = "\n>"
"""The last byte of a prompt after which it recites: of a chat, and of text with the tokens of a gap."""

_END, _CONTROLS = "<|im_end|>", ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_MERGES = ("i n", "r e")
"""llama.cpp does not load a vocabulary of byte pairs without any."""

_CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_gguf(path: Path, recited: Sequence[str] = ()) -> None:
    """Write a model to ``path``.

    Args:
        path: A file that may be overwritten.
        recited: Distinct pieces of the text to answer with, each a token; empty for noise.
    """
    characters = _byte_characters()
    pieces = ["".join(characters[byte] for byte in piece.encode()) for piece in recited]
    normal = [*characters, *(merge.replace(" ", "") for merge in _MERGES), *pieces]
    tokens = [*normal, *_CONTROLS]
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _add_vocabulary(writer, tokens, n_normal=len(normal))
    weights = _random_weights(len(tokens))
    if pieces:
        starts = [tokens.index(characters[ord(each)]) for each in _STARTS]
        _recite(weights, starts, [tokens.index(token) for token in (*pieces, _END)])
    for name, weight in weights.items():
        writer.add_tensor(f"{name}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _byte_characters() -> list[str]:
    """Give the printable character that stands for each byte in GPT-2's vocabulary, in the order of bytes."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def _describe(writer: Any) -> None:
    writer.add_name(NAME)
    writer.add_context_length(N_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_N_LAYERS)
    writer.add_feed_forward_length(_N_INNER)
    writer.add_head_count(_N_HEADS)
    writer.add_head_count_kv(_N_KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _N_HEADS)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def _add_vocabulary(writer: Any, tokens: Sequence[str], *, n_normal: int) -> None:
    kinds = [gguf.TokenType.NORMAL] * n_normal + [gguf.TokenType.CONTROL] * (len(tokens) - n_normal)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_vocab_size(len(tokens))
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(_MERGES)
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index(_END))
    writer.add_add_bos_token(False)
    writer.add_chat_template(_CHAT_TEMPLATE)


def _random_weights(n_tokens: int) -> dict[str, Any]:
    random = np.random.default_rng(_SEED)

    def matrix(n_rows: int, n_columns: int) -> Any:
        return (random.standard_normal((n_rows, n_columns)) * 0.2).astype(np.float32)

    ones = np.ones(_WIDTH, np.float32)
    n_kv = _WIDTH // _N_HEADS * _N_KV_HEADS
    weights = {
        "token_embd": matrix(n_tokens, _WIDTH),
        "output_norm": ones,
        "output": matrix(n_tokens, _WIDTH),
    }
    for layer in range(_N_LAYERS):
        shapes = {
            "attn_q": (_WIDTH, _WIDTH),
            "attn_k": (n_kv, _WIDTH),
            "attn_v": (n_kv, _WIDTH),
            "attn_output": (_WIDTH, _WIDTH),
            "ffn_gate": (_N_INNER, _WIDTH),
            "ffn_up": (_N_INNER, _WIDTH),
            "ffn_down": (_WIDTH, _N_INNER),
        }
        weights |= {f"blk.{layer}.{name}": matrix(*shape) for name, shape in shapes.items()}
        weights |= {f"blk.{layer}.{name}": ones for name in ("attn_norm", "ffn_norm")}
    return weights


def _recite(weights: dict[str, Any], starts: Sequence[int], chain: Sequence[int]) -> None:
    """Make each start lead to the first token of ``chain``, and each of its tokens to the next one."""
    for layer in range(_N_LAYERS):
        for name in ("attn_output", "ffn_down"):  # what a layer adds to its input passes through these two
            weights[f"blk.{layer}.{name}"][:] = 0
    weights["output"][chain[0]] = sum(weights["token_embd"][token] for token in starts) * 20
    for token, following in pairwise(chain):
        weights["output"][following] = weights["token_embd"][token] * 20
