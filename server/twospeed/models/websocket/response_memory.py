"""What a WebSocket of Responses remembers, so that a request need not say it again. No I/O.

The provider keeps the latest response of each lane for as long as the connection is open. A request whose input begins
with what such a response had for input, followed by its answer, names it and sends the rest alone. On another lane
than the response's own that is a fork, which leaves it where it is.
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
        fields: All but the input and the limit of tokens.
        items: The input, whole.
        max_output_tokens: The limit.
        generates: Whether an answer is wanted; else the provider is to get ready for one.
    """

    fields: ResponsesFields
    items: list[Item]
    max_output_tokens: int
    generates: bool = True

    def message(self, lane: str, parent: RememberedResponse | None) -> bytes:
        """Write it as a message, to be answered on a lane.

        Args:
            lane: Its name.
            parent: What it goes on from.
        """
        message: dict[str, object] = {"type": "response.create", "stream_id": lane, **self.fields}
        message["input"] = self.items[len(parent.items) :] if parent else self.items
        message["max_output_tokens"] = self.max_output_tokens
        if parent:
            message["previous_response_id"] = parent.id
        if not self.generates:
            message["generate"] = False
            message["max_output_tokens"] = LEAST_OUTPUT_TOKENS  # of one that does not know of it
        return orjson.dumps(message)

    def redirects(self, other: ResponseRequest) -> bool:
        """Whether it asks with other words for what another request asks for."""
        return (
            self.generates
            and other.generates
            and _are_alike(self.fields, other.fields)
            and self.items[:-1] == other.items[:-1]
            and self.items[-1]["role"] == "user"
        )

    def steer_message(self, response_id: str) -> bytes:
        """Write it as a message that redirects a response under way; the response's settings go on to hold."""
        message = {"type": "response.steer", "previous_response_id": response_id, "input": self.items[-1:]}
        return orjson.dumps(message)


@dataclass(frozen=True, slots=True)
class RememberedResponse:
    """A response that the provider remembers.

    Attributes:
        id: As the provider names it.
        lane: On which it was given.
        fields: Of its request.
        items: Input and answer.
    """

    id: str
    lane: str
    fields: ResponsesFields
    items: list[Item]

    def begins(self, turn: ResponseRequest) -> bool:
        """Whether a request goes on from it."""
        n = len(self.items)
        return _are_alike(self.fields, turn.fields) and n < len(turn.items) and turn.items[:n] == self.items

    def is_of(self, turn: ResponseRequest) -> bool:
        """Whether it is what a request asks for that wants no answer."""
        return _are_alike(self.fields, turn.fields) and self.items == turn.items


class ResponseMemory:
    """The latest response of each lane of one connection."""

    def __init__(self) -> None:
        self._responses: dict[str, RememberedResponse] = {}

    def parent_of(self, turn: ResponseRequest) -> RememberedResponse | None:
        """Return the response that says most of a request; ``None`` where none says any of it."""
        fitting = [response for response in self._responses.values() if response.begins(turn)]
        return max(fitting, key=lambda response: len(response.items), default=None)

    def is_ready_for(self, turn: ResponseRequest) -> bool:
        """Whether the provider has been got ready for a request already."""
        return any(response.is_of(turn) for response in self._responses.values())

    def keep(self, lane: str, turn: ResponseRequest, response: Mapping[str, object]) -> None:
        """Take note of a whole response, as its last event has it."""
        self.forget(lane)
        name, said = response.get("id"), _said_in(response)
        if isinstance(name, str) and said is not None:
            self._responses[lane] = RememberedResponse(name, lane, turn.fields, [*turn.items, *said])

    def forget(self, lane: str) -> None:
        """Take note that the lane's latest response is gone."""
        self._responses.pop(lane, None)


def _are_alike(one: ResponsesFields, other: ResponsesFields) -> bool:
    """Whether two requests differ in nothing but their input; which cache they would be led to is no matter here."""
    return {**one, "prompt_cache_key": ""} == {**other, "prompt_cache_key": ""}


def _said_in(response: Mapping[str, object]) -> list[Item] | None:
    """Read the answer of a whole response; ``None`` where there is something in it that a request cannot repeat."""
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
