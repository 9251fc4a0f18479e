"""The responses that the provider remembers, so that a request can omit their text. No I/O.

The provider keeps the latest response of each stream while the connection is open. A request that continues
such a response names it and sends only the rest; on another stream this forks the response.
Source: OpenAI's guide "WebSocket mode", "How continuation works".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from twospeed.models.codecs.decoder import fields_of
from twospeed.models.codecs.openai_responses import LEAST_OUTPUT_TOKENS, Item, ResponsesFields


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """A request over the WebSocket.

    Attributes:
        generates: Whether to generate an answer; False only prepares the provider.
    """

    fields: ResponsesFields
    items: list[Item]
    max_output_tokens: int
    generates: bool = True

    def message(self, stream: str, parent: RememberedResponse | None) -> bytes:
        """Return the message that requests an answer."""
        message: dict[str, object] = {"type": "response.create", "stream_id": stream, **self.fields}
        message["input"] = self.items[len(parent.items) :] if parent else self.items
        message["max_output_tokens"] = self.max_output_tokens
        if parent:
            message["previous_response_id"] = parent.id
        if not self.generates:
            message["generate"] = False
            message["max_output_tokens"] = LEAST_OUTPUT_TOKENS  # for providers that ignore ``generate``
        return orjson.dumps(message)

    def redirects(self, other: ResponseRequest) -> bool:
        """Whether it differs from another request only in its last user message."""
        return (
            self.generates
            and other.generates
            and _are_alike(self.fields, other.fields)
            and self.items[:-1] == other.items[:-1]
            and self.items[-1]["role"] == "user"
        )

    def steer_message(self, response_id: str) -> bytes:
        """Return the message that redirects a running response, which keeps its settings."""
        message = {"type": "response.steer", "previous_response_id": response_id, "input": self.items[-1:]}
        return orjson.dumps(message)


@dataclass(frozen=True, slots=True)
class RememberedResponse:
    """A response that the provider remembers.

    Attributes:
        items: Input and output.
    """

    id: str
    stream: str
    fields: ResponsesFields
    items: list[Item]

    def is_prefix_of(self, request: ResponseRequest) -> bool:
        """Whether a request continues it."""
        n = len(self.items)
        return (
            _are_alike(self.fields, request.fields)
            and n < len(request.items)
            and request.items[:n] == self.items
        )

    def is_result_of(self, request: ResponseRequest) -> bool:
        """Whether it is the result of this warm-up request."""
        return _are_alike(self.fields, request.fields) and self.items == request.items


class ResponseMemory:
    """The latest response of each stream of one connection."""

    def __init__(self) -> None:
        self._responses: dict[str, RememberedResponse] = {}

    def parent_of(self, request: ResponseRequest) -> RememberedResponse | None:
        """Return the remembered response that covers most of a request; ``None`` if none does."""
        fitting = [response for response in self._responses.values() if response.is_prefix_of(request)]
        return max(fitting, key=lambda response: len(response.items), default=None)

    def is_ready_for(self, request: ResponseRequest) -> bool:
        """Whether the provider was warmed up for a request."""
        return any(response.is_result_of(request) for response in self._responses.values())

    def keep(self, stream: str, request: ResponseRequest, response: Mapping[str, object]) -> None:
        """Record a complete response from its last event."""
        self.forget(stream)
        name, said = response.get("id"), _output_of(response)
        if isinstance(name, str) and said is not None:
            self._responses[stream] = RememberedResponse(
                name, stream, request.fields, [*request.items, *said]
            )

    def forget(self, stream: str) -> None:
        """Remove the stream's latest response."""
        self._responses.pop(stream, None)


def _are_alike(one: ResponsesFields, other: ResponsesFields) -> bool:
    """Whether two requests differ only in their input; their cache does not matter here."""
    return {**one, "prompt_cache_key": ""} == {**other, "prompt_cache_key": ""}


def _output_of(response: Mapping[str, object]) -> list[Item] | None:
    """Return the output of a complete response; ``None`` if a request cannot repeat it."""
    output = response.get("output")
    if not isinstance(output, list):
        return None
    messages = [item for item in map(fields_of, output) if item.get("type") == "message"]
    said: list[Item] = []
    for message in messages:
        parts = message.get("content")
        texts = [fields_of(part).get("text") for part in parts] if isinstance(parts, list) else [None]
        if not all(isinstance(text, str) for text in texts):
            return None
        said.append({"type": "message", "role": "assistant", "content": "".join(map(str, texts))})
    return said
