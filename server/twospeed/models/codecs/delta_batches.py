"""Decode consecutive events that differ only in their text together, in a tenth of the time.

A fast model sends dozens of events in one packet, each 200 to 350 bytes of JSON around a word
(`benchmarks/bench_lanes`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import orjson

from twospeed.errors import ModelError
from twospeed.models.base import ModelEvent, TextDelta

from .sse import MAX_LINE_BYTES, ServerSentEvent

# Sequence numbers and OpenAI's padding differ in each event, and no decoder reads them.
_VARIABLE_PART: Final = re.compile(rb'"sequence_number": ?(\d+)|"obfuscation": ?"(\w*)"')

_PROBE_TEXT: Final = "other text"
_PROBE_NUMBER: Final = b"7"
_EVENT_END: Final = b"\n\n"

# JSON allows a tab between strings but not inside, so two invalid strings never parse as a valid one.
_BETWEEN_STRINGS: Final = b'",\t"'

_START_BYTES: Final = 8

# After so many consecutive patterns without a match, no more patterns are tried.
_MAX_FAILED_PATTERNS: Final = 8


class DeltaBatches:
    """The pattern of the last text event: its bytes around the text."""

    def __init__(self, decode: Callable[[bytes], Sequence[ModelEvent]]) -> None:
        self._decode = decode  # it must not change the decoder
        self._seen: tuple[ServerSentEvent, str] | None = None
        self._fixed: list[bytes] = []
        self._text_at = 0
        self._n_failed = 0

    def learn(self, event: ServerSentEvent, text: str) -> None:
        """Use an event that decoded to ``text`` alone as the pattern."""
        self._fixed = []
        # It is analysed when a similar event arrives, so that the first text is not delayed.
        self._seen = (event, text) if self._n_failed < _MAX_FAILED_PATTERNS else None

    def forget(self) -> None:
        """Drop the pattern after any other event: the same bytes may now decode differently."""
        self._fixed = []
        self._seen = None

    def read(self, received: bytes, start: int) -> tuple[str, int]:
        """Return the text and the end of the batch that begins at ``start``.

        An event must begin at ``start``; without a batch the end is ``start``.
        """
        if self._seen and received.startswith(_start_of(self._seen[0]), start):
            self._analyse(*self._seen)
            self._seen = None
        if not self._fixed or not received.startswith(self._fixed[0], start):
            return "", start
        head, *between, tail = self._fixed
        received = received[start + len(head) : start + MAX_LINE_BYTES]
        # A JSON string cannot contain a line end, so no text is cut.
        *rows, last = received.split(tail + head)
        row, found, rest = last.partition(tail)
        if found:
            rows.append(row)
        else:
            rest = head + last
        try:
            columns = _columns(rows, between)
            read = [
                _strings(values) if before.endswith(b'"') else _numbers(values)
                for before, values in zip(self._fixed, columns, strict=False)
            ]
        except ValueError:  # an incomplete or different event, an unpaired surrogate, or invalid JSON
            return "", start
        self._n_failed = 0
        return "".join(read[self._text_at]), start + len(head) + len(received) - len(rest)

    def _analyse(self, event: ServerSentEvent, text: str) -> None:
        # The event is a pattern if other values in its variable places decode to the other text alone.
        self._n_failed += 1
        try:
            quoted = orjson.dumps(text)
        except TypeError:  # an unpaired surrogate
            return
        data, found = event.data, event.data.find(quoted)
        if found < 0:
            return
        text_place = (found + 1, found + len(quoted) - 1)
        variable_parts = [match.span(match.lastindex or 0) for match in _VARIABLE_PART.finditer(data)]
        places = sorted([text_place, *variable_parts])
        starts, ends = [start for start, _ in places], [end for _, end in places]
        head, *others = [data[end:start] for end, start in zip([0, *ends], [*starts, len(data)], strict=True)]
        values = [_PROBE_TEXT.encode() if place == text_place else _PROBE_NUMBER for place in places]
        probe = head + b"".join(value + after for value, after in zip(values, others, strict=True))
        try:
            if list(self._decode(probe)) != [TextDelta(_PROBE_TEXT)]:
                return
        except ModelError:  # another text would be an error
            return
        self._fixed = [_line_of(event.event, head), *others]
        self._fixed[-1] += _EVENT_END
        self._text_at = places.index(text_place)


def _start_of(event: ServerSentEvent) -> bytes:
    return _line_of(event.event, event.data[:_START_BYTES])


def _line_of(name: str, data: bytes) -> bytes:
    return (b"" if name == "message" else b"event: %b\n" % name.encode()) + b"data: " + data


def _columns(rows: Sequence[bytes], between: Sequence[bytes]) -> list[Sequence[bytes]]:
    # The values between the fixed parts, by column. Raises ValueError for other rows.
    columns = []
    for fixed in between:
        values, founds, rows = zip(*[row.partition(fixed) for row in rows], strict=True)
        if not all(founds):
            raise ValueError("another event")
        columns.append(values)
    return [*columns, rows]


def _strings(values: Sequence[bytes]) -> list[str]:
    return _parsed_array(values, b'["%b"]' % _BETWEEN_STRINGS.join(values))


def _numbers(values: Sequence[bytes]) -> list[str]:
    if not b"".join(values).isdigit():
        raise ValueError("not a number")  # numbers are checked and then ignored
    _parsed_array(values, b"[%b]" % b",".join(values))
    return []


def _parsed_array(values: Sequence[bytes], array: bytes) -> list[str]:
    read: list[str] = orjson.loads(array)
    if len(read) != len(values):
        raise ValueError("a value with a separator")
    return read
