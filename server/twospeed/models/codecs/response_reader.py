"""Read one streamed response: bytes to model events, within size limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from twospeed.errors import ModelError, ModelProtocolError
from twospeed.models.base import Finished, ModelEvent, TextDelta

from .decoder import Decoder
from .delta_batches import DeltaBatches
from .sse import SseError, SseSplitter

# One response with its JSON: at 200 to 350 bytes for a token, about 200,000 tokens and pings.
MAX_WIRE_BYTES = 64 * 1024 * 1024

# No edited document is larger than 8 MiB.
MAX_TEXT_CHARS = 8 * 1024 * 1024


class ResponseReader:
    """Reads one response."""

    def __init__(self, decoder: Decoder, *, provider: str, model: str) -> None:
        self._decoder = decoder
        self._provider = provider
        self._model = model
        self._splitter = SseSplitter()
        self._batches = DeltaBatches(lambda data: copy(decoder).receive_event(data))
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
        """Yield the events of the bytes received, with consecutive text joined, up to the first error.

        Raises ModelError for an error of the provider, a violation of the protocol, or too many bytes.
        """
        self._wire_left -= len(chunk)
        texts: list[str] = []
        return self._join_text(self._byte_events(chunk, texts), texts)

    def receive_values(self, values: Iterable[object], *, n_bytes: int) -> Iterator[ModelEvent]:
        """As `receive_bytes`, for JSON values of ``n_bytes`` in all."""
        self._wire_left -= n_bytes
        texts: list[str] = []
        return self._join_text(self._value_events(values, texts), texts)

    def _join_text(self, events: Iterator[ModelEvent], texts: list[str]) -> Iterator[ModelEvent]:
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
        """See `Decoder.finish`."""
        return self._decoder.finish()

    def _byte_events(self, chunk: bytes, texts: list[str]) -> Iterator[ModelEvent]:
        # Text is appended to `texts` before the events that follow it are yielded.
        start, step = 0, 1
        while start < len(chunk) and not self._decoder.is_done:
            end = start
            may_batch = self._splitter.is_between_events and not self._decoder.has_finish_reason
            if may_batch:
                text, end = self._batches.read(chunk, start)
                self._add_text(text, texts)
                if end - start >= len(chunk) - end:
                    step = 1
            if end == start:
                end = _event_end(chunk, start + step)
                step *= 2  # so that a search without batches costs little
                yield from self._split(chunk[start:end], texts, learns=may_batch)
            start = end

    def _split(self, chunk: bytes, texts: list[str], *, learns: bool) -> Iterator[ModelEvent]:
        try:
            events = self._splitter.receive_bytes(chunk)
        except SseError as error:
            raise self._error(f"{self._provider} sent an invalid response: {error}") from error
        for event in events:
            match self._decoder.receive_event(event.data):
                case [TextDelta(text)]:
                    self._add_text(text, texts)
                    if learns and event is events[-1]:
                        self._batches.learn(event, text)
                case model_events:
                    self._batches.forget()
                    for model_event in model_events:
                        if isinstance(model_event, TextDelta):
                            self._add_text(model_event.text, texts)
                        else:
                            yield model_event
            if self._decoder.is_done:
                break

    def _value_events(self, values: Iterable[object], texts: list[str]) -> Iterator[ModelEvent]:
        for value in values:
            for event in self._decoder.receive_value(value):
                if type(event) is TextDelta:
                    self._add_text(event.text, texts)
                else:
                    yield event
            if self._decoder.is_done:
                break

    def _add_text(self, text: str, texts: list[str]) -> None:
        if text:
            self._text_left -= len(text)
            self._check_size()
            texts.append(text)

    def _check_size(self) -> None:
        # A larger answer than any legitimate one: the endpoint may be broken or hostile.
        if self._text_left < 0 or self._wire_left < 0:
            raise self._error(f"{self._provider} sent an answer that is too large")

    def _error(self, message: str) -> ModelProtocolError:
        return ModelProtocolError(message, provider=self._provider, model=self._model)


def _joined(texts: list[str]) -> Iterator[TextDelta]:
    if texts:
        yield TextDelta("".join(texts))
        texts.clear()


def _event_end(chunk: bytes, start: int) -> int:
    found = chunk.find(b"\n\n", start)
    return len(chunk) if found < 0 else found + 2
