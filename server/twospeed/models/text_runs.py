"""Read runs of events that differ in nothing but their text. No I/O.

A fast model sends dozens of events in one packet, each 200 to 350 bytes of JSON around a word, and nothing but the
word changes. Once one was read in full, those that follow it and are the same byte for byte are read together, as
one array of strings: a sixth of the time that splitting and decoding each of them takes (`benchmarks/bench_engine`).
Whatever is not such a run is left to `sse` and the decoder, so that what an answer says never depends on this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import orjson

from twospeed.errors import ModelError

from .base import ModelEvent, TextDelta
from .sse import ServerSentEvent

_PROBE: Final = "other text"
_EVENT_END: Final = b"\n\n"

_MAX_VAIN_PATTERNS: Final = 8
"""Where so many events one after the other had none like them behind, each has something of its own: it is not worth
looking any further. OpenAI pads each event with random letters, unless it is asked not to."""


class TextRuns:
    """What the last event with text looked like around its text.

    Args:
        decode: Says what the data of an event would mean if it came now, without taking it.
    """

    def __init__(self, decode: Callable[[bytes], Sequence[ModelEvent]]) -> None:
        self._decode = decode
        self._head = b""
        self._tail = b""
        self._n_vain = 0

    def learn(self, event: ServerSentEvent, text: str) -> None:
        """Take an event that said ``text`` and nothing else as the pattern of those to come.

        It is a pattern only if another text in the same place is what the event says then.
        """
        if self._n_vain >= _MAX_VAIN_PATTERNS:
            return
        self._n_vain += 1
        self._head = b""
        try:
            before, found, after = event.data.partition(orjson.dumps(text))
            said = self._decode(before + orjson.dumps(_PROBE) + after) if found else []
        except (ModelError, TypeError):  # other words would be an error; or it is half of a character
            return
        if list(said) == [TextDelta(_PROBE)]:
            name = b"" if event.event == "message" else b"event: %b\n" % event.event.encode()
            self._head = b'%bdata: %b"' % (name, before)
            self._tail = b'"%b%b' % (after, _EVENT_END)

    def read(self, received: bytes) -> tuple[str, bytes]:
        """Read the run that ``received`` begins with; it must begin where an event does.

        Returns:
            The text of the run, and what was received behind it: everything, where it begins with no run.
        """
        if not self._head or not received.startswith(self._head):
            return "", received
        # A line end cannot stand in a JSON string, so none of these cuts through a text.
        bodies = received[len(self._head) :].split(self._tail + self._head)
        bodies[-1], found, rest = bodies[-1].partition(self._tail)
        if not found:
            rest = self._head + bodies.pop()
        try:
            texts = orjson.loads(b'["%b"]' % b'","'.join(bodies)) if bodies else []
            text = "".join(texts)
        except (ValueError, TypeError):  # other events in between, half of a character, or no JSON at all
            return "", received
        if len(texts) != len(bodies):
            return "", received
        self._n_vain = 0
        return text, rest
