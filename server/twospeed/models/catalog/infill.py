"""How models for fill-in-the-middle mark a gap, by the family that a model's name shows. No I/O.

Sources: the model cards of Qwen2.5-Coder, StarCoder2, Code Llama, DeepSeek-Coder, CodeGemma, Granite Code and Stable Code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from twospeed.models.base import ProviderSettings
from twospeed.models.http.endpoints import Origin


@dataclass(frozen=True, slots=True)
class InfillTokens:
    """The tokens of a family around the text before and after the gap."""

    prefix: str
    suffix: str
    middle: str
    ends: tuple[str, ...] = ()  # tokens that the model may write after the middle

    @property
    def all(self) -> tuple[str, ...]:
        """Every token, none of which the text may contain."""
        return (self.prefix, self.suffix, self.middle, *self.ends)


_STAR = InfillTokens("<fim_prefix>", "<fim_suffix>", "<fim_middle>", ("<file_sep>", "<|endoftext|>"))
_FAMILIES = (
    (
        re.compile(r"qwen[\d.]*-?coder|codeqwen"),
        InfillTokens(
            "<|fim_prefix|>",
            "<|fim_suffix|>",
            "<|fim_middle|>",
            ("<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<|endoftext|>"),
        ),
    ),
    (
        re.compile(r"codegemma"),
        InfillTokens("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", ("<|file_separator|>",)),
    ),
    (re.compile(r"starcoder|granite(?:-[\d.]+b?)?-code|stable-code"), _STAR),
    (re.compile(r"code-?llama"), InfillTokens("<PRE> ", " <SUF>", " <MID>", ("<EOT>",))),
    (
        re.compile(r"deepseek-coder"),
        InfillTokens(
            "<\uff5cfim\u2581begin\uff5c>", "<\uff5cfim\u2581hole\uff5c>", "<\uff5cfim\u2581end\uff5c>"
        ),
    ),
)

_OLLAMA_PORT = 11434


def infill_tokens(model: str, origin: Origin) -> InfillTokens | None:
    """Return the tokens to write into the prompt; ``None`` if the server takes the text after the gap as ``suffix``.

    llama.cpp and vLLM refuse ``suffix`` but read the tokens. Ollama and Mistral write the tokens themselves.
    """
    if origin.port == _OLLAMA_PORT or origin.host.endswith("mistral.ai"):
        return None
    return _family_of(model)


def infill_settings(provider: ProviderSettings, model: str) -> ProviderSettings:
    """Return the settings with which a model fills a gap.

    For a model of a known family on this machine, that is Completions, which its server has in addition to Chat Completions.
    """
    is_local = provider.api == "chat" and provider.endpoint.origin.is_loopback
    return replace(provider, api="completions") if is_local and _family_of(model) else provider


def contains_token(text: str, provider: ProviderSettings, model: str) -> bool:
    """Return whether a text contains a token of the model, which would read it as a mark of the gap."""
    tokens = infill_tokens(model, provider.endpoint.origin)
    return tokens is not None and any(token.strip() in text for token in tokens.all)


def _family_of(model: str) -> InfillTokens | None:
    name = model.lower()
    return next((tokens for pattern, tokens in _FAMILIES if pattern.search(name)), None)
