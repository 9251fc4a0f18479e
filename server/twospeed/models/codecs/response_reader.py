"""Read one streamed response: bytes to model events, within size limits. No I/O.

It stops a response that is larger than any legitimate one, because the endpoint may be broken or hostile.
Limits for one scope are in `stream`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from twospeed.errors import ModelError, ModelProtocolError
from twospeed.models.base import Finished, ModelEvent, TextDelta

from .decoder import Decoder
from .delta_batches import DeltaBatches
from .sse import SseError, SseSplitter

MAX_WIRE_BYTES = 64 * 1024 * 1024
"""One response with its JSON: at 200 to 350 bytes for a token, about 200,000 tokens and pings."""

MAX_TEXT_CHARS = 8 * 1024 * 1024
"""No edited document is larger than 8 MiB."""


class ResponseReader:
    """Reads one response."""

    def __init__(self, decoder: Decoder, *, provider: str, model: str) -> None:
        self._decoder = decoder
        self._provider = provider
        self._model = model
        self._splitter = SseSplitter()
        self._runs = DeltaBatches(lambda data: copy(decoder).receive_event(data))
        self._wire_left = MAX_WIRE_BYTES
        self._text_left = MAX_TEXT_CHARS

    @property
    def has_whole_text(self) -> bool:
        """Whether the text is complete; only usage and the end of the stream may follow."""
        return self._decoder.has_finish_reason

    @property
    def is_done(self) -> bool:
        """Whether the rest of the stream can be ignored."""
        return self._decoder.is_done

    def receive_bytes(self, chunk: bytes) -> Iterator[ModelEvent]:
        """Yield the events of the bytes received, up to the first error.

        Consecutive text is joined to one event: fast models send dozens of tokens in a packet.

        Raises:
            ModelError: The provider reports an error, violates the protocol, or sends too much.
        """
        self._wire_left -= len(chunk)
        texts: list[str] = []
        return self._give(self._events(chunk, texts), texts)

    def receive_values(self, values: Iterable[object], *, n_bytes: int) -> Iterator[ModelEvent]:
        """As `receive_bytes`, for WebSocket messages as JSON values of ``n_bytes`` in all."""
        self._wire_left -= n_bytes
        texts: list[str] = []
        return self._give(self._read(values, texts), texts)

    def _give(self, events: Iterator[ModelEvent], texts: list[str]) -> Iterator[ModelEvent]:
        try:
            for event in events:
                yield from _joined(texts)
                yield event
        except ModelError:
            yield from _joined(texts)
            raise
        yield from _joined(texts)
        if not self._decoder.is_done:
            self._check_size()

    def finish(self) -> Finished:
        """Return the finish reason after the stream has ended.

        Raises:
            ModelProtocolError: The answer broke off.
        """
        return self._decoder.finish()

    def _events(self, chunk: bytes, texts: list[str]) -> Iterator[ModelEvent]:
        """Yield the other events; text is appended to ``texts`` before the events that follow it."""
        start, step = 0, 1
        while start < len(chunk) and not self._decoder.is_done:
            end = start
            looks = self._splitter.is_between_events and not self._decoder.has_finish_reason
            if looks:
                text, end = self._runs.read(chunk, start)
                self._take_text(text, texts)
                if end - start >= len(chunk) - end:
                    step = 1
            if end == start:
                end = _event_end(chunk, start + step)
                step *= 2  # so that a search without batches costs little
                yield from self._split(chunk[start:end], texts, learns=looks)
            start = end

    def _split(self, chunk: bytes, texts: list[str], *, learns: bool) -> Iterator[ModelEvent]:
        try:
            events = self._splitter.receive_bytes(chunk)
        except SseError as error:
            raise self._error(f"{self._provider} sent an invalid response: {error}") from error
        for event in events:
            match self._decoder.receive_event(event.data):
                case [TextDelta(text)]:
                    self._take_text(text, texts)
                    if learns and event is events[-1]:
                        self._runs.learn(event, text)
                case model_events:
                    self._runs.forget()
                    for model_event in model_events:
                        if isinstance(model_event, TextDelta):
                            self._take_text(model_event.text, texts)
                        else:
                            yield model_event
            if self._decoder.is_done:
                break

    def _read(self, values: Iterable[object], texts: list[str]) -> Iterator[ModelEvent]:
        for value in values:
            for event in self._decoder.receive_value(value):
                if type(event) is TextDelta:
                    self._take_text(event.text, texts)
                else:
                    yield event
            if self._decoder.is_done:
                break

    def _take_text(self, text: str, texts: list[str]) -> None:
        if text:
            self._text_left -= len(text)
            self._check_size()
            texts.append(text)

    def _check_size(self) -> None:
        if self._text_left < 0 or self._wire_left < 0:
            raise self._error(f"{self._provider} sent an answer that is too large")

    def _error(self, message: str) -> ModelProtocolError:
        return ModelProtocolError(message, provider=self._provider, model=self._model)


def _joined(texts: list[str]) -> Iterator[TextDelta]:
    if texts:
        yield TextDelta("".join(texts))
        texts.clear()


def _event_end(chunk: bytes, start: int) -> int:
    """Return the end of the event at ``start``; the end of the chunk if it is incomplete."""
    found = chunk.find(b"\n\n", start)
    return len(chunk) if found < 0 else found + 2
