"""Table of the wire protocols, by the value of ``api``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from twospeed.models.base import ModelRequest, Usage
from twospeed.models.catalog.providers import PROVIDERS, token_limit_field
from twospeed.models.http.endpoints import Origin, parse_endpoint
from twospeed.models.keys.secret import KeyHeader

from . import anthropic_messages, openai_chat, openai_completions, openai_responses
from .decoder import Decoder, RequestInfo

_OPENAI: Final = parse_endpoint(PROVIDERS["openai"].settings.base_url).origin

Encode = Callable[[ModelRequest, str, Origin], bytes]


@dataclass(frozen=True, slots=True)
class Codec:
    """The functions of one protocol."""

    path: str
    encode: Encode
    decoder: Callable[[RequestInfo], Decoder]
    warm_up: Callable[[ModelRequest, str, Origin], bytes | None]  # None without such a feature
    usage_in: Callable[[object], Usage] = lambda _answer: Usage()  # of a response that is one JSON object
    key_header: KeyHeader = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)


def _chat(request: ModelRequest, model: str, origin: Origin) -> bytes:
    return openai_chat.encode_request(request, model=model, limit_field=token_limit_field(origin))


def _responses(request: ModelRequest, model: str, origin: Origin) -> bytes:
    return openai_responses.encode_request(request, model=model, splits=origin == _OPENAI)


def _messages(request: ModelRequest, model: str, _origin: Origin) -> bytes:
    return anthropic_messages.encode_request(request, model=model)


def _no_warm_up(_request: ModelRequest, _model: str, _origin: Origin) -> None:
    return None


def _one_token(encode: Encode, request: ModelRequest, model: str, origin: Origin) -> bytes:
    # A local server caches the prompt while it writes one token, and nothing is billed.
    return encode(replace(request, max_output_tokens=1), model, origin)


def _warm_chat(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    # Elsewhere a warm-up of Chat Completions costs as much as an answer.
    return _one_token(_chat, request, model, origin) if origin.is_loopback else None


def _warm_responses(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    if origin.is_loopback:
        return _one_token(_responses, request, model, origin)
    return openai_responses.encode_warm_up(request, model=model) if origin == _OPENAI else None


def _warm_messages(request: ModelRequest, model: str, origin: Origin) -> bytes | None:
    if origin.is_loopback:
        return _one_token(_messages, request, model, origin)
    return anthropic_messages.encode_warm_up(request, model=model)


# By ``api``; `providers.BUILT_APIS` lists the names for modules that must not import orjson.
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
    "completions": Codec(
        "/completions",
        lambda request, model, origin: openai_completions.encode_request(request, model=model, origin=origin),
        openai_completions.CompletionsDecoder,
        _no_warm_up,
    ),
}
