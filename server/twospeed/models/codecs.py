"""The wire protocols that are spoken, by the name a provider's settings give them. Data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from . import anthropic_messages, openai_chat, openai_responses
from .base import ModelRequest
from .decoder import Asked, Decoder
from .endpoints import Origin
from .keys import KeyHeader
from .providers import token_limit_field


@dataclass(frozen=True, slots=True)
class Codec:
    """How a protocol asks and is understood.

    Attributes:
        path: Below the base URL.
        encode: Writes the body of a request: what to ask for, the model's name, where it goes.
        decoder: Reads its answer.
        key_header: What carries the key.
        headers: Constant ones that it demands.
    """

    path: str
    encode: Callable[[ModelRequest, str, Origin], bytes]
    decoder: Callable[[Asked], Decoder]
    key_header: KeyHeader = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)


CODECS: Final[Mapping[str, Codec]] = {
    "chat": Codec(
        "/chat/completions",
        lambda request, model, origin: openai_chat.encode_request(
            request, model=model, limit_field=token_limit_field(origin)
        ),
        openai_chat.ChatDecoder,
    ),
    "responses": Codec(
        "/responses",
        lambda request, model, _origin: openai_responses.encode_request(request, model=model),
        openai_responses.ResponsesDecoder,
    ),
    "messages": Codec(
        "/messages",
        lambda request, model, _origin: anthropic_messages.encode_request(request, model=model),
        anthropic_messages.MessagesDecoder,
        key_header="x-api-key",
        headers={"anthropic-version": anthropic_messages.VERSION},
    ),
}
"""By the value of ``api``; `providers.BUILT_APIS` names them for who does without orjson."""
