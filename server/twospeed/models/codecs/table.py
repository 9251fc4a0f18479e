"""The wire protocols that are spoken, by the name a provider's settings give them. Data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from twospeed.models.base import ModelRequest, Usage
from twospeed.models.catalog.providers import PROVIDERS, token_limit_field
from twospeed.models.http.endpoints import Origin, parse_endpoint
from twospeed.models.keys.secret import KeyHeader

from . import anthropic_messages, openai_chat, openai_responses
from .decoder import Decoder, RequestInfo

_OPENAI: Final = parse_endpoint(PROVIDERS["openai"].settings.base_url).origin

Encode = Callable[[ModelRequest, str, Origin], bytes]


@dataclass(frozen=True, slots=True)
class Codec:
    """How a protocol asks and is understood.

    Attributes:
        path: Below the base URL.
        encode: Writes the body of a request: what to ask for, the model's name, where it goes.
        decoder: Reads its answer.
        warm_up: Writes the body of a request that has a provider cache a prompt; ``None`` where it offers nothing.
        usage_in: Reads what such a request has cost, where it is answered as one JSON object.
        key_header: What carries the key.
        headers: Constant ones that it demands.
    """

    path: str
    encode: Encode
    decoder: Callable[[RequestInfo], Decoder]
    warm_up: Callable[[ModelRequest, str, Origin], bytes | None]
    usage_in: Callable[[object], Usage] = lambda _answer: Usage()
    key_header: KeyHeader = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)


def _chat(request: ModelRequest, model: str, origin: Origin) -> bytes:
    return openai_chat.encode_request(request, model=model, limit_field=token_limit_field(origin))


def _responses(request: ModelRequest, model: str, origin: Origin) -> bytes:
    return openai_responses.encode_request(request, model=model, splits=origin == _OPENAI)


def _messages(request: ModelRequest, model: str, _origin: Origin) -> bytes:
    return anthropic_messages.encode_request(request, model=model)


def _one_token(encode: Encode, request: ModelRequest, model: str, origin: Origin) -> bytes:
    """Ask a server on this machine for one token: it keeps what it has read, and nobody has to pay for it."""
    return encode(replace(request, max_output_tokens=1), model, origin)


def _warm_chat(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    """Warm a server on this machine; elsewhere a request for nothing costs as much as one for something."""
    return _one_token(_chat, request, model, origin) if origin.is_loopback else None


def _warm_responses(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    if origin.is_loopback:
        return _one_token(_responses, request, model, origin)
    return openai_responses.encode_warm_up(request, model=model) if origin == _OPENAI else None


def _warm_messages(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    if origin.is_loopback:
        return _one_token(_messages, request, model, origin)
    return anthropic_messages.encode_warm_up(request, model=model)


CODECS: Final[Mapping[str, Codec]] = {
    "chat": Codec("/chat/completions", _chat, openai_chat.ChatDecoder, _warm_chat),
    "responses": Codec("/responses", _responses, openai_responses.ResponsesDecoder, _warm_responses),
    "messages": Codec(
        "/messages",
        _messages,
        anthropic_messages.MessagesDecoder,
        _warm_messages,
        anthropic_messages.usage_in,
        key_header="x-api-key",
        headers={"anthropic-version": anthropic_messages.VERSION},
    ),
}
"""By the value of ``api``; `providers.BUILT_APIS` names them for who does without orjson."""
